import { sql } from 'kysely'
import type { Db } from '../../../base/db/transact.ts'
import { oldBefore } from '../../../base/retention.ts'
import type { StreamKey } from '../number-events.ts'

const streamsAtOnce = 100
const eventsAtOnce = 2_000

/**
 * Removes from the ledgers what was settled too long ago to be kept, in batches, with its attempts; returns how many.
 * What was queued earlier and settled later stays until its own time.
 */
export async function dropSettledEvents(db: Db, now: string): Promise<number> {
  let dropped = 0
  for (;;) {
    let inRound = 0
    for (const stream of await listConcerned(db, now)) inRound += await dropBatch(db, stream, now)
    if (inRound === 0) return dropped
    dropped += inRound
  }
}

/** Judged by the oldest event that is settled, which an index finds: a search for any reads the ledgers of all streams. */
async function listConcerned(db: Db, now: string): Promise<StreamKey[]> {
  const { rows } = await sql<StreamKey>`
    select stream.organization_id as "organizationId", stream.id as "streamId" from ssf_streams as stream
    cross join lateral (select ${oldBefore('settled_signals', sql`stream.organization_id`, now)} as moment) as before
    cross join lateral (
      select from ssf_stream_events as event
      where event.organization_id = stream.organization_id and event.stream_id = stream.id
        and event.queued_at < before.moment and event.settled_at < before.moment
      order by event.queued_at limit 1
    ) as oldest
    limit ${streamsAtOnce}
  `.execute(db)
  return rows
}

/** By an array rather than a join, whose plan over rows of unknown number takes eighteen times as long. */
async function dropBatch(db: Db, { organizationId, streamId }: StreamKey, now: string): Promise<number> {
  const before = oldBefore('settled_signals', sql`${organizationId}::bigint`, now)
  const { numAffectedRows = 0n } = await sql`
    delete from ssf_stream_events
    where organization_id = ${organizationId}::bigint and stream_id = ${streamId}::bigint and id = any(array(
      select id from ssf_stream_events
      where organization_id = ${organizationId}::bigint and stream_id = ${streamId}::bigint
        and queued_at < ${before} and settled_at < ${before}
        and state <> 'pending'
      order by queued_at, id limit ${eventsAtOnce}
      for update skip locked
    ))
  `.execute(db)
  return Number(numAffectedRows)
}
