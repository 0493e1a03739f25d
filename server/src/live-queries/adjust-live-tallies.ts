import { sql } from 'kysely'
import type { LiveQueryStatus } from '../base/db/schema.ts'
import type { Tx } from '../base/db/transact.ts'

export type TargetChange = {
  campaignId: string
  deviceId: string
  /** Null where the device did not count, or does not count from now on. */
  from: LiveQueryStatus | null
  to: LiveQueryStatus | null
  /** Length of what was stored of the answer in parts. */
  partCharacters?: number
}

type Sum = Record<LiveQueryStatus, number> & { campaignId: string; shard: number; partCharacters: number }

export const shards = 32

/** Keeps the counts of a campaign. Shards are locked in one order, so that answers cannot deadlock here. */
export async function adjustLiveTallies(
  tx: Tx,
  organizationId: string,
  changes: readonly TargetChange[],
): Promise<void> {
  const sums = new Map<string, Sum>()
  for (const { campaignId, deviceId, from, to, partCharacters = 0 } of changes) {
    const shard = Number(BigInt(deviceId) % BigInt(shards))
    const key = `${campaignId}/${shard}`
    const sum = sums.get(key) ?? { campaignId, shard, waiting: 0, successful: 0, errored: 0, partCharacters: 0 }
    sum.partCharacters += partCharacters
    if (from !== null) sum[from] -= 1
    if (to !== null) sum[to] += 1
    sums.set(key, sum)
  }
  const rows = [...sums.values()]
  if (rows.length === 0) return
  await sql`
    insert into live_query_tallies as tally
      (organization_id, campaign_id, shard, waiting, successful, errored, part_characters)
    select ${organizationId}::bigint, campaign_id, shard, waiting, successful, errored, part_characters
    from unnest(
      ${rows.map((row) => row.campaignId)}::bigint[], ${rows.map((row) => row.shard)}::smallint[],
      ${rows.map((row) => row.waiting)}::int[], ${rows.map((row) => row.successful)}::int[],
      ${rows.map((row) => row.errored)}::int[], ${rows.map((row) => row.partCharacters)}::bigint[]
    ) as sum (campaign_id, shard, waiting, successful, errored, part_characters)
    order by campaign_id, shard
    on conflict (organization_id, campaign_id, shard) do update set waiting = tally.waiting + excluded.waiting,
      successful = tally.successful + excluded.successful, errored = tally.errored + excluded.errored,
      part_characters = tally.part_characters + excluded.part_characters
  `.execute(tx)
}
