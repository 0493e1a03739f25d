import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Tx } from '../db/transact.ts'
import { isCounted } from './rules.ts'

export type StatusChange = {
  checkId: string
  deviceId: string
  /** Null where the device was, or from now on is, not targeted. */
  from: string | null
  to: string | null
}

const shards = 32n
const shardOf = (deviceId: string): number => Number(BigInt(deviceId) % shards)

/** Locks the counts that a device is in: for whoever adjusts them more than once in a transaction. */
export async function lockTallies(tx: Tx, organizationId: string, deviceId: string): Promise<void> {
  await tx
    .selectFrom('check_tallies')
    .select('check_id')
    .where(inOrganization('check_tallies', organizationId))
    .where('shard', '=', shardOf(deviceId))
    .orderBy('check_id')
    .forUpdate()
    .execute()
}

/** Keeps the counts behind `percent_passing`. Shards are locked in one order, so check-ins cannot deadlock here. */
export async function adjustTallies(tx: Tx, organizationId: string, changes: readonly StatusChange[]): Promise<void> {
  const sums = new Map<string, { checkId: string; shard: number; counted: number; passing: number }>()
  for (const { checkId, deviceId, from, to } of changes) {
    const counted = Number(to !== null && isCounted(to)) - Number(from !== null && isCounted(from))
    const passing = Number(to === 'passing') - Number(from === 'passing')
    if (counted === 0 && passing === 0) continue
    const shard = shardOf(deviceId)
    const key = `${checkId}/${shard}`
    const sum = sums.get(key) ?? { checkId, shard, counted: 0, passing: 0 }
    sums.set(key, { ...sum, counted: sum.counted + counted, passing: sum.passing + passing })
  }
  const rows = [...sums.values()]
  if (rows.length === 0) return
  await sql`
    insert into check_tallies as tally (organization_id, check_id, shard, counted, passing)
    select ${organizationId}::bigint, check_id, shard, counted, passing
    from unnest(
      ${rows.map((row) => row.checkId)}::bigint[], ${rows.map((row) => row.shard)}::smallint[],
      ${rows.map((row) => row.counted)}::int[], ${rows.map((row) => row.passing)}::int[]
    ) as sum (check_id, shard, counted, passing)
    order by check_id, shard
    on conflict (organization_id, check_id, shard)
    do update set counted = tally.counted + excluded.counted, passing = tally.passing + excluded.passing
  `.execute(tx)
}
