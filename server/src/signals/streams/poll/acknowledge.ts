import type { SsfPoll } from '@muster/contract/ssf-polls.ts'
import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../../base/db/transact.ts'
import { lockHeads } from '../number-events.ts'

type Polled = { organizationId: string; streamId: string; now: string }

/**
 * Settles what the receiver has taken in, and what it cannot take in (RFC 8936 §2.4.3, §2.6). Committed when it
 * resolves, so that an answer to the acknowledgement is never taken back. What is settled already stays as it is.
 */
export async function acknowledge(
  db: Db,
  { organizationId, streamId, now }: Polled,
  { ack = [], setErrs = {} }: Pick<SsfPoll, 'ack' | 'setErrs'>,
): Promise<void> {
  const errors = Object.entries(setErrs)
  const taken = ack.filter((jti) => !Object.hasOwn(setErrs, jti)).map((jti) => ({ jti, err: null, description: null }))
  const refused = errors.map(([jti, { err, description = '' }]) => ({ jti, err, description }))
  const settled = [...taken, ...refused]
  if (settled.length === 0) return
  await transact(db, async (tx) => {
    // Held for the numbers that are given.
    const locked = await lockHeads(tx, [{ organizationId, streamId }])
    if (locked.length > 0) await settle(tx, { organizationId, streamId, now }, settled)
  })
}

type Settled = { jti: string; err: string | null; description: string | null }

/**
 * What was queued before the last of them is numbered with it, so that numbers follow the order of queueing for a
 * receiver that acknowledges in another order.
 */
async function settle(tx: Tx, { organizationId, streamId, now }: Polled, settled: readonly Settled[]): Promise<void> {
  await sql`
    with settled as (
      select event.id, event.state, given.err, given.description
      from unnest(
        ${settled.map(({ jti }) => jti)}::text[], ${settled.map(({ err }) => err)}::text[],
        ${settled.map(({ description }) => description)}::text[]
      ) as given (jti, err, description)
      -- Without statistics a stream is taken to have few events, and all would be read: the order names the index.
      cross join lateral (
        select id, state, organization_id, stream_id, jti from ssf_stream_events
        where (organization_id, stream_id, jti) >= (${organizationId}::bigint, ${streamId}::bigint, given.jti)
        order by organization_id, stream_id, jti limit 1
      ) as event
      where event.organization_id = ${organizationId}::bigint and event.stream_id = ${streamId}::bigint
        and event.jti = given.jti and event.state in ('pending', 'expired')
    ), fresh as (
      select event.id, head.last_sequence + row_number() over (order by event.id) as place
      from ssf_stream_events as event
      join ssf_stream_deliveries as head
        on head.organization_id = event.organization_id and head.stream_id = event.stream_id
      where event.organization_id = ${organizationId}::bigint and event.stream_id = ${streamId}::bigint
        and event.state = 'pending' and event.sequence is null and event.id <= (select max(id) from settled)
    ), changed as materialized (
      select ${organizationId}::bigint as organization_id, ${streamId}::bigint as stream_id, id, fresh.place,
        settled.id is not null as is_settled, settled.err, settled.description
      from settled full join fresh using (id)
    ), written as (
      update ssf_stream_events as event
      set sequence = coalesce(event.sequence, changed.place),
        state = case when not changed.is_settled then event.state
          when changed.err is null then 'acknowledged' else 'rejected' end,
        settled_at = case when changed.is_settled then ${now}::timestamptz else event.settled_at end,
        error_code = case when changed.is_settled then changed.err else event.error_code end,
        error_description = case when changed.is_settled then changed.description else event.error_description end
      from changed
      where event.organization_id = changed.organization_id and event.stream_id = changed.stream_id
        and event.id = changed.id and event.state in ('pending', 'expired')
      returning event.state
    )
    update ssf_stream_deliveries as head
    set last_sequence = coalesce((select max(place) from fresh), head.last_sequence),
      last_delivered_at = case when exists (select from written where state = 'acknowledged')
        then greatest(head.last_delivered_at, ${now}::timestamptz) else head.last_delivered_at end
    where head.organization_id = ${organizationId}::bigint and head.stream_id = ${streamId}::bigint
      and exists (select from written)
  `.execute(tx)
}
