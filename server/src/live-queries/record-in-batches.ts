import type { Db } from '../base/db/transact.ts'
import { type LiveAnswer, recordLiveAnswers } from './record-live-answers.ts'

type Device = { organizationId: string; deviceId: string }

/** Resolves to how many answers of the device were stored, after the commit. */
export type LiveAnswerRecorder = (device: Device, answers: readonly LiveAnswer[]) => Promise<number>

type Waiting = {
  device: Device
  answers: readonly LiveAnswer[]
  resolve: (stored: number) => void
  reject: (error: unknown) => void
}

const devicesTogether = 64
/** Of the parts of answers; a device that has more goes alone. */
const charactersTogether = 8_000_000

/**
 * Makes the recorder of a process: what arrives while one transaction is under way is recorded together in the next.
 * When that fails, each device's answers are recorded alone, so that none fails for another's sake.
 */
export function recordLiveAnswersInBatches(db: Db): LiveAnswerRecorder {
  let waiting: Waiting[] = []
  let isUnderWay = false

  function run(): void {
    const organizationId = waiting[0]?.device.organizationId
    const batch = firstOnes(waiting.filter(({ device }) => device.organizationId === organizationId))
    waiting = waiting.filter((one) => !batch.includes(one))
    void record(batch).finally(() => {
      isUnderWay = waiting.length > 0
      if (isUnderWay) run()
    })
  }

  async function record(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch
    if (!first) return
    try {
      const answers = batch.flatMap((one) => one.answers)
      const stored = await recordLiveAnswers(db, first.device.organizationId, answers)
      for (const { device, resolve } of batch) resolve(stored.get(device.deviceId) ?? 0)
    } catch (error) {
      if (batch.length === 1) first.reject(error)
      else for (const one of batch) await record([one])
    }
  }

  return (device, answers) =>
    new Promise((resolve, reject) => {
      waiting.push({ device, answers, resolve, reject })
      if (isUnderWay) return
      isUnderWay = true
      // After the sockets of this turn of the event loop have been read.
      setImmediate(run)
    })
}

/** As many as one transaction takes, at least one. */
function firstOnes(waiting: readonly Waiting[]): readonly Waiting[] {
  let characters = 0
  const tooMany = waiting.findIndex(({ answers }, index) => {
    characters += answers.reduce((sum, answer) => sum + (answer.more?.characters ?? 0), 0)
    return index === devicesTogether || (index > 0 && characters > charactersTogether)
  })
  return tooMany === -1 ? waiting : waiting.slice(0, tooMany)
}
