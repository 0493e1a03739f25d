import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'

export type StreamKey = { organizationId: string; streamId: string }

const pairs = (streams: readonly StreamKey[]) => sql`unnest(
  ${streams.map(({ organizationId }) => organizationId)}::bigint[], ${streams.map(({ streamId }) => streamId)}::bigint[]
) as asked (organization_id, stream_id)`

/** Whoever numbers events of a stream holds this lock; returns the streams that there are. */
export async function lockHeads(tx: Tx, streams: readonly StreamKey[]): Promise<StreamKey[]> {
  const { rows } = await sql<StreamKey>`
    select head.organization_id as "organizationId", head.stream_id as "streamId" from ssf_stream_deliveries as head
    where (head.organization_id, head.stream_id) in (select organization_id, stream_id from ${pairs(streams)})
    order by head.organization_id, head.stream_id
    for no key update
  `.execute(tx)
  return rows
}

/**
 * Events get their numbers when they are settled, or when someone asks how many there are up to now. These tables of a
 * `with` do the latter: they give all queued events of streams their numbers, in the order of queueing as far as it is committed: a change
 * that commits late gets a later number, and none is ever passed over. Changes of one device never overtake each other,
 * because the lock on the device orders their transactions. What the statement sees is numbered: `fresh` has a row for each event that it numbers. The caller
 * holds the lock on the heads. Everything else the statement reads is of the same moment: what is reported by events up to
 * the last number, and by no later one, since who sees less numbers later.
 */
export const numbering = (streams: readonly StreamKey[]) => sql`
  fresh as (
    select event.organization_id, event.stream_id, event.id,
      head.last_sequence + row_number() over (partition by event.organization_id, event.stream_id order by event.id) as place
    from ${pairs(streams)}
    join ssf_stream_deliveries as head using (organization_id, stream_id)
    join ssf_stream_events as event using (organization_id, stream_id)
    where event.state = 'pending' and event.sequence is null
  ), heads as (
    update ssf_stream_deliveries as head set last_sequence = last.place
    from (select organization_id, stream_id, max(place) as place from fresh group by 1, 2) as last
    where head.organization_id = last.organization_id and head.stream_id = last.stream_id
  ), numbered as (
    update ssf_stream_events as event set sequence = fresh.place
    from fresh
    where event.organization_id = fresh.organization_id and event.stream_id = fresh.stream_id and event.id = fresh.id
  )
`
