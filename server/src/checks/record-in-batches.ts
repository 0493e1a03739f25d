import type { Db } from '../db/transact.ts'
import { type CheckRun, type Recording, recordTogether } from './record-results.ts'

/** `recordResults` for what comes from many devices at once. */
export type Recorder = (recording: Recording) => Promise<CheckRun[]>

type Waiting = {
  recording: Recording
  resolve: (accepted: CheckRun[]) => void
  reject: (error: unknown) => void
}

/** More than one, so that the database has work while a commit is on its way to the disk. */
const transactionsAtOnce = 2
/** Their devices are locked until the commit, so a batch stays a matter of milliseconds. */
const devicesTogether = 32

/**
 * Makes the recorder of a process: what arrives while earlier recordings are under way is recorded together, in one
 * transaction for each organization. When that fails, each is recorded alone, so that no device fails for another's
 * sake.
 */
export function recordInBatches(db: Db): Recorder {
  let waiting: Waiting[] = []
  let running = 0

  function start(): void {
    while (running < transactionsAtOnce && waiting.length > 0) {
      const batch = takeBatch()
      running += 1
      void record(batch).finally(() => {
        running -= 1
        start()
      })
    }
  }

  /** The first that wait, of one organization, each device once. */
  function takeBatch(): Waiting[] {
    const organizationId = waiting[0]?.recording.organizationId
    const devices = new Set<string>()
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    for (const one of waiting) {
      const { recording } = one
      const isFit = recording.organizationId === organizationId && !devices.has(recording.deviceId)
      if (isFit && batch.length < devicesTogether) {
        devices.add(recording.deviceId)
        batch.push(one)
      } else rest.push(one)
    }
    waiting = rest
    return batch
  }

  async function record(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch
    if (!first) return
    try {
      const recordings = batch.map(({ recording }) => recording)
      const accepted = await recordTogether(db, first.recording.organizationId, recordings)
      for (const [place, { resolve }] of batch.entries()) resolve(accepted[place] ?? [])
    } catch (error) {
      if (batch.length === 1) first.reject(error)
      else for (const one of batch) await record([one])
    }
  }

  return (recording) =>
    new Promise((resolve, reject) => {
      waiting.push({ recording, resolve, reject })
      // After the sockets of this turn of the event loop have been read.
      if (waiting.length === 1) setImmediate(start)
    })
}
