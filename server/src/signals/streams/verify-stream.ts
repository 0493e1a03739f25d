import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { lockStream, type Stream } from './queries.ts'
import { queueStreamSignal } from './queue-stream-signal.ts'

/** SSF 1.0 §8.1.1: how long receivers wait between requests for verification, on average. */
export const minVerificationIntervalSeconds = 1
/** So many may come at once, which receivers do while they are set up. */
const maxAtOnce = 10
/** So many wait at most for a receiver that takes none. */
const maxWaiting = 100

type Verification = { organizationId: string; reference: string; state: string | null; cause: string; now: string }

export function refuseStopped({ status }: Stream): void {
  if (status !== 'enabled') fail('malformed_request', { message: `The stream is ${status}: enable it first.` })
}

/** Queues a verification event (SSF 1.0 §8.1.4); it is delivered with the stream's events. */
export async function verifyStream(tx: Tx, verification: Verification): Promise<void> {
  const { organizationId, reference, state, cause, now } = verification
  // Locked, so that requests at the same time are counted.
  const stream = orNotFound(await lockStream(tx, organizationId, reference))
  refuseStopped(stream)
  await refuseTooMany(tx, stream, now)
  const event = state === null ? {} : { state }
  const signal = { organizationId, streamId: stream.id, event, txn: cause, now }
  await queueStreamSignal(tx, { ...signal, kind: 'verification' })
}

/** SSF 1.0 §8.1.4.2: requests above the rate are answered 429. */
async function refuseTooMany(tx: Tx, { organization_id, id }: Stream, now: string): Promise<void> {
  const windowSeconds = maxAtOnce * minVerificationIntervalSeconds
  const { rows } = await sql<{ recent: number; waiting: number }>`
    with verifications as (
      select queued_at, state from ssf_stream_events
      where ${inOrganization('ssf_stream_events', organization_id)} and stream_id = ${id}::bigint and kind = 'verification'
      order by id desc limit ${sql.lit(maxWaiting)}
    )
    select (count(*) filter (where queued_at > ${now}::timestamptz - ${windowSeconds}::integer * interval '1 second'))::integer as recent,
      (count(*) filter (where state = 'pending'))::integer as waiting
    from verifications`.execute(tx)
  const { recent, waiting } = rows[0] ?? { recent: 0, waiting: 0 }
  if (waiting >= maxWaiting) {
    fail('rate_limited', {
      message: `${maxWaiting} verification events wait for the receiver already.`,
      retryAfterSeconds: 60,
    })
  }
  if (recent >= maxAtOnce) {
    fail('rate_limited', {
      message: `The stream was asked for ${maxAtOnce} verification events within ${windowSeconds} seconds; wait for the seconds in Retry-After.`,
      retryAfterSeconds: windowSeconds,
    })
  }
}
