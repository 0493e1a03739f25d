import type { Db } from '../../base/db/transact.ts'
import { type CheckRun, type Recording, recordTogether } from './record-results.ts'
import { recordingQueue, type Waiting } from './recording-queue.ts'

export type Recorder = Readonly<{
  /** Resolves to the accepted runs, after the commit. Fails with `TooManyRecordings` where no more can wait. */
  record: (recording: Recording) => Promise<CheckRun[]>
  /** How many recordings wait. */
  waiting: () => number
  /** Resolves once all that was taken in has been answered. */
  settled: () => Promise<void>
}>

/** Whoever sent it is to send it again. */
export class TooManyRecordings extends Error {
  override readonly name = 'TooManyRecordings'
  readonly statusCode = 503

  constructor() {
    super('Too many results wait to be recorded. Try again later.')
  }
}

type RecorderParts = {
  db: Db
  /** Runs a transaction in its turn, so that connections stay free for everyone else. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
  /** Whether a fault says nothing about what was recorded. */
  isDatabaseUnavailable: (error: unknown) => boolean
}

type Batch = readonly Waiting<CheckRun[]>[]

const turnsAtOnce = 4

/**
 * Makes the recorder of a process: what arrives while earlier recordings are under way is recorded together, in one
 * transaction for each organization. When that fails, its halves are recorded apart, down to single devices, so that no
 * device fails for another's sake.
 */
export function recordInBatches({ db, inTurn, isDatabaseUnavailable }: RecorderParts): Recorder {
  const queue = recordingQueue<CheckRun[]>()
  const idle: (() => void)[] = []
  let unanswered = 0
  let turns = 0
  let isStarting = false

  function start(): void {
    isStarting = false
    for (let wanted = Math.min(turnsAtOnce - turns, queue.size()); wanted > 0; wanted -= 1) {
      turns += 1
      void inTurn(takeTurn).then((hasTaken) => {
        turns -= 1
        if (hasTaken) start()
      })
    }
  }

  /** Chosen when the turn has come, so that nothing that arrives meanwhile has to wait for another. */
  async function takeTurn(): Promise<boolean> {
    const batch = queue.take()
    if (!batch) return false
    await recordAll(batch)
    queue.end(batch)
    unanswered -= batch.length
    if (unanswered === 0) for (const resolve of idle.splice(0)) resolve()
    return true
  }

  async function recordAll(batch: Batch): Promise<void> {
    const organizationId = batch[0]?.recording.organizationId ?? ''
    try {
      const recordings = batch.map(({ recording }) => recording)
      const accepted = await recordTogether(db, organizationId, recordings)
      for (const [place, { resolve }] of batch.entries()) resolve(accepted[place] ?? [])
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnavailable(error)) for (const { reject } of batch) reject(error)
      else {
        const half = Math.ceil(batch.length / 2)
        await recordAll(batch.slice(0, half))
        await recordAll(batch.slice(half))
      }
    }
  }

  return {
    record: (recording) =>
      new Promise((resolve, reject) => {
        if (!queue.add({ recording, resolve, reject })) return reject(new TooManyRecordings())
        unanswered += 1
        // After the sockets of this turn of the event loop have been read.
        if (!isStarting) setImmediate(start)
        isStarting = true
      }),
    waiting: queue.size,
    settled: () => (unanswered === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  }
}
