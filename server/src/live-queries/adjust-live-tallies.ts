import { sql } from 'kysely'
import type { LiveQueryStatus } from '../db/schema.ts'
import type { Tx } from '../db/transact.ts'

export type TargetChange = {
  campaignId: string
  deviceId: string
  /** Null where the device did not count, or does not count from now on. */
  from: LiveQueryStatus | null
  to: LiveQueryStatus | null
}

type Sum = Record<LiveQueryStatus, number> & { campaignId: string; shard: number }

export const shards = 32

/** Keeps the counts of a campaign. Shards are locked in one order, so that answers cannot deadlock here. */
export async function adjustLiveTallies(
  tx: Tx,
  organizationId: string,
  changes: readonly TargetChange[],
): Promise<void> {
  const sums = new Map<string, Sum>()
  for (const { campaignId, deviceId, from, to } of changes) {
    const shard = Number(BigInt(deviceId) % BigInt(shards))
    const key = `${campaignId}/${shard}`
    const sum = sums.get(key) ?? { campaignId, shard, waiting: 0, successful: 0, errored: 0 }
    if (from !== null) sum[from] -= 1
    if (to !== null) sum[to] += 1
    sums.set(key, sum)
  }
  const rows = [...sums.values()]
  if (rows.length === 0) return
  await sql`
    insert into live_query_tallies as tally (organization_id, campaign_id, shard, waiting, successful, errored)
    select ${organizationId}::bigint, campaign_id, shard, waiting, successful, errored
    from unnest(
      ${rows.map((row) => row.campaignId)}::bigint[], ${rows.map((row) => row.shard)}::smallint[],
      ${rows.map((row) => row.waiting)}::int[], ${rows.map((row) => row.successful)}::int[],
      ${rows.map((row) => row.errored)}::int[]
    ) as sum (campaign_id, shard, waiting, successful, errored)
    order by campaign_id, shard
    on conflict (organization_id, campaign_id, shard) do update set waiting = tally.waiting + excluded.waiting,
      successful = tally.successful + excluded.successful, errored = tally.errored + excluded.errored
  `.execute(tx)
}
