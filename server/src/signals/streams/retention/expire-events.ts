import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Db, transact } from '../../../base/db/transact.ts'
import { lockHeads, numbering, type StreamKey } from '../number-events.ts'

/** Which of the waiting events nobody waits for anymore: those of `isOfKind` from before a moment, unless replayed since. */
type Stale = { isOfKind: RawBuilder<SqlBool>; before: string; reason: string }

const isQuiet = ({ isOfKind, before }: Stale) => sql<SqlBool>`${isOfKind}
  and (event.replayed_at is null or event.replayed_at < ${before}::timestamptz)`
const isStale = (stale: Stale) => sql<SqlBool>`event.queued_at < ${stale.before}::timestamptz and ${isQuiet(stale)}`

const streamsAtOnce = 100
const eventsAtOnce = 1_000

/** Gives up events that have waited since before a moment, in batches; returns how many. */
export const expireEvents = (db: Db, queuedBefore: string, now: string): Promise<number> =>
  expire(db, now, { isOfKind: sql`true`, before: queuedBefore, reason: 'The receiver did not take it in time.' })

/** The same of verifications, which say nothing about any device and which nobody waits for so long. */
export const expireVerifications = (db: Db, queuedBefore: string, now: string): Promise<number> =>
  expire(db, now, {
    // The first condition is that of an index of few.
    isOfKind: sql`event.device_id is null and event.kind = 'verification'`,
    before: queuedBefore,
    reason: 'The receiver did not take it in time.',
  })

async function expire(db: Db, now: string, stale: Stale): Promise<number> {
  let expired = 0
  for (;;) {
    let inRound = 0
    for (const stream of await listConcerned(db, stale)) inRound += await expireBatch(db, stream, now, stale)
    // Nothing: what is left is locked by others, and the next run has it.
    if (inRound === 0) return expired
    expired += inRound
  }
}

/** Judged by the first that waits: they are queued in the order of their ids. */
async function listConcerned(db: Db, stale: Stale): Promise<StreamKey[]> {
  const { rows } = await sql<StreamKey>`
    select stream.organization_id as "organizationId", stream.id as "streamId" from ssf_streams as stream
    cross join lateral (
      select event.queued_at from ssf_stream_events as event
      where event.organization_id = stream.organization_id and event.stream_id = stream.id
        and event.state = 'pending' and ${isQuiet(stale)}
      order by event.id limit 1
    ) as first
    where stream.deleted_at is null and first.queued_at < ${stale.before}::timestamptz
    limit ${streamsAtOnce}
  `.execute(db)
  return rows
}

/** Numbered first, so that the numbers of a stream have no gaps and no event is without one once it is settled. */
const expireBatch = (db: Db, stream: StreamKey, now: string, stale: Stale): Promise<number> =>
  transact(db, async (tx) => {
    const locked = await lockHeads(tx, [stream])
    if (locked.length === 0) return 0
    await sql`with ${numbering(locked)} select from fresh`.execute(tx)
    const { numAffectedRows = 0n } = await sql`
      update ssf_stream_events as event
      set state = 'expired', settled_at = ${now}::timestamptz, held_until = null, error_description = ${stale.reason}
      where event.organization_id = ${stream.organizationId}::bigint and event.stream_id = ${stream.streamId}::bigint
        and event.id = any(array(
          select event.id from ssf_stream_events as event
          where event.organization_id = ${stream.organizationId}::bigint and event.stream_id = ${stream.streamId}::bigint
            and event.state = 'pending' and ${isStale(stale)}
          order by event.id limit ${eventsAtOnce}
          for no key update skip locked
        ))
    `.execute(tx)
    return Number(numAffectedRows)
  })
