import { sql } from 'kysely'
import type { Db } from '../../db/transact.ts'
import type { StreamKey } from '../number-events.ts'

const streamsAtOnce = 100
const eventsAtOnce = 2_000

/**
 * Removes what was settled before a moment from the ledgers, in batches, with its attempts; returns how many. What was
 * queued before it and settled after stays until its own time.
 */
export async function dropSettledEvents(db: Db, settledBefore: string): Promise<number> {
  let dropped = 0
  for (;;) {
    let inRound = 0
    for (const stream of await listConcerned(db, settledBefore)) inRound += await dropBatch(db, stream, settledBefore)
    if (inRound === 0) return dropped
    dropped += inRound
  }
}

async function listConcerned(db: Db, settledBefore: string): Promise<StreamKey[]> {
  const { rows } = await sql<StreamKey>`
    select stream.organization_id as "organizationId", stream.id as "streamId" from ssf_streams as stream
    where exists (
      select from ssf_stream_events as event
      where event.organization_id = stream.organization_id and event.stream_id = stream.id
        and event.queued_at < ${settledBefore}::timestamptz and event.settled_at < ${settledBefore}::timestamptz
    )
    limit ${streamsAtOnce}
  `.execute(db)
  return rows
}

/** By an array rather than a join, whose plan over rows of unknown number takes eighteen times as long. */
async function dropBatch(db: Db, { organizationId, streamId }: StreamKey, settledBefore: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ssf_stream_events
    where organization_id = ${organizationId}::bigint and stream_id = ${streamId}::bigint and id = any(array(
      select id from ssf_stream_events
      where organization_id = ${organizationId}::bigint and stream_id = ${streamId}::bigint
        and queued_at < ${settledBefore}::timestamptz and settled_at < ${settledBefore}::timestamptz
        and state <> 'pending'
      order by queued_at, id limit ${eventsAtOnce}
      for update skip locked
    ))
  `.execute(db)
  return Number(numAffectedRows)
}
