import type { Db } from '../../../base/db/transact.ts'
import { dayMs, hourMs } from '../../../base/time.ts'
import { dropDeletedStreams } from './drop-deleted-streams.ts'
import { dropSettledEvents } from './drop-settled-events.ts'
import { dropSignals } from './drop-signals.ts'
import { expireEvents, expireVerifications } from './expire-events.ts'

/** Receivers are promised that nothing is given up earlier. */
const waitsMs = 30 * dayMs
const verificationWaitsMs = hourMs
/** No transaction that saw the stream before its deletion is still open after it. */
const deletedKeptMs = hourMs

const before = (now: string, ms: number): string => new Date(Date.parse(now) - ms).toISOString()

/** By itself, because it is done more often. */
export const runVerificationRetention = (db: Db, now: string) =>
  expireVerifications(db, before(now, verificationWaitsMs), now)

/** Expires what has waited for too long and removes what is kept no longer. */
export async function runStreamRetention(db: Db, now: string): Promise<void> {
  await expireEvents(db, before(now, waitsMs), now)
  await dropSettledEvents(db, now)
  await dropDeletedStreams(db, before(now, deletedKeptMs))
  await dropSignals(db, now)
}
