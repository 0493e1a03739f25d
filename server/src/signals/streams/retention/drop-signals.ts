import { sql } from 'kysely'
import type { Db } from '../../../base/db/transact.ts'
import { oldBefore, oldSomewhereBefore } from '../../../base/retention.ts'

type Place = { organization_id: string; id: string; occurred_at: string }

const signalsAtOnce = 2_000

/** Removes signals that are too old to be kept and that no ledger refers to anymore, in batches; returns how many. */
export async function dropSignals(db: Db, now: string): Promise<number> {
  let dropped = 0
  for (let after: Place | undefined; ; ) {
    const { last, count } = await dropBatch(db, now, after)
    dropped += count
    if (!last) return dropped
    after = last
  }
}

/**
 * Looks the entries up by their time, for which there is an index: a signal and its entries are of one moment, and are
 * written in one transaction.
 */
async function dropBatch(db: Db, now: string, after: Place | undefined): Promise<{ last?: Place; count: number }> {
  const { rows } = await sql<{ count: string; last: Place | null }>`
    with batch as materialized (
      select organization_id, id, occurred_at from ssf_signals
      where occurred_at < ${oldSomewhereBefore('settled_signals', now)}
        and occurred_at < ${oldBefore('settled_signals', sql`ssf_signals.organization_id`, now)}
        and occurred_at >= ${after?.occurred_at ?? '-infinity'}::timestamptz
        and (occurred_at, organization_id, id) > (
          ${after?.occurred_at ?? '-infinity'}::timestamptz, ${after?.organization_id ?? '0'}::bigint, ${after?.id ?? '0'}::bigint)
      order by occurred_at, organization_id, id limit ${signalsAtOnce}
    ), kept as materialized (
      select event.organization_id, event.signal_id
      from ssf_streams as stream
      cross join lateral (
        select entry.organization_id, entry.signal_id from ssf_stream_events as entry
        where entry.organization_id = stream.organization_id and entry.stream_id = stream.id
          and entry.queued_at >= (select min(occurred_at) from batch) and entry.queued_at <= (select max(occurred_at) from batch)
      ) as event
      where stream.organization_id in (select organization_id from batch)
    ), dropped as (
      delete from ssf_signals using batch
      where ssf_signals.organization_id = batch.organization_id and ssf_signals.id = batch.id
        -- Hashed, where an anti join with a table of unknown size is not.
        and (batch.organization_id, batch.id) not in (select organization_id, signal_id from kept)
      returning 1
    )
    select (select count(*) from dropped) as count, (
      select jsonb_build_object('organization_id', organization_id::text, 'id', id::text, 'occurred_at', occurred_at)
      from batch order by occurred_at desc, organization_id desc, id desc limit 1
    ) as last
  `.execute(db)
  const [row] = rows
  return { count: Number(row?.count ?? 0), ...(row?.last && { last: row.last }) }
}
