import type { Subject } from '../trial/start-process.ts'
import { requestBytes } from './http-request.ts'
import { openSocket } from './open-socket.ts'

/** What work took, per piece of it. */
export type ProcessorRate = { perSecond: number; processorMs: number; databaseMs: number }

/** By the processor time of the process and of the database, as if one core did it all. */
export const perProcessorSecond = ({ processorMs, databaseMs }: ProcessorRate): number =>
  1_000 / (processorMs + databaseMs)

/** Does work, which tells how many pieces it was. */
export async function using(
  subject: Subject,
  databaseMs: (() => Promise<number>) | undefined,
  work: () => Promise<number>,
): Promise<ProcessorRate> {
  const [before, databaseBefore] = [await subject.usage(), (await databaseMs?.()) ?? 0]
  const startedAt = performance.now()
  const done = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  const [after, databaseAfter] = [await subject.usage(), (await databaseMs?.()) ?? 0]
  return {
    perSecond: done / seconds,
    processorMs: (after.processorMs - before.processorMs) / done,
    databaseMs: (databaseAfter - databaseBefore) / done,
  }
}

/** Has a bare process take its turns for so long, and returns how many it took. */
export async function takeTurns(bare: Subject, durationMs: number, loops: number): Promise<number> {
  const socket = await openSocket(bare.origin)
  try {
    const { body } = await socket.send(requestBytes({ path: `/${durationMs}/${loops}` }))
    return JSON.parse(body.toString()).rows
  } finally {
    socket.close()
  }
}
