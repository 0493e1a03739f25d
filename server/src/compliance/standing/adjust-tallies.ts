import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { type CountedStatus, countedStatuses } from './rules.ts'

export type StatusChange = {
  checkId: string
  deviceId: string
  /** Null where the device was, or from now on is, not targeted. */
  from: string | null
  to: string | null
}

const shards = 32n
const shardOf = (deviceId: string): number => Number(BigInt(deviceId) % shards)

/** Locks the counts that devices are in, for a transaction that adjusts them more than once. */
export async function lockTallies(tx: Tx, organizationId: string, deviceIds: readonly string[]): Promise<void> {
  await tx
    .selectFrom('check_tallies')
    .select('check_id')
    .where(inOrganization('check_tallies', organizationId))
    .where('shard', 'in', deviceIds.map(shardOf))
    .orderBy('check_id')
    .orderBy('shard')
    .forUpdate()
    .execute()
}

type Sums = Record<CountedStatus, number>
const nothing: Sums = { passing: 0, failing: 0, errored: 0, unknown: 0, stale: 0, pending: 0 }

/** Keeps how many devices have which result. Shards are locked in one order, so check-ins cannot deadlock here. */
export async function adjustTallies(tx: Tx, organizationId: string, changes: readonly StatusChange[]): Promise<void> {
  const rows = sumsByShard(changes)
  if (rows.length === 0) return
  const of = (status: CountedStatus) => rows.map(({ sums }) => sums[status])
  await sql`
    insert into check_tallies as tally
      (organization_id, check_id, shard, counted, passing, failing, errored, unknown, stale, pending)
    select ${organizationId}::bigint, check_id, shard, passing + failing + errored + unknown + stale + pending,
      passing, failing, errored, unknown, stale, pending
    from unnest(
      ${rows.map((row) => row.checkId)}::bigint[], ${rows.map((row) => row.shard)}::smallint[],
      ${of('passing')}::int[], ${of('failing')}::int[], ${of('errored')}::int[],
      ${of('unknown')}::int[], ${of('stale')}::int[], ${of('pending')}::int[]
    ) as sum (check_id, shard, passing, failing, errored, unknown, stale, pending)
    order by check_id, shard
    on conflict (organization_id, check_id, shard)
    do update set counted = tally.counted + excluded.counted, passing = tally.passing + excluded.passing,
      failing = tally.failing + excluded.failing, errored = tally.errored + excluded.errored,
      unknown = tally.unknown + excluded.unknown, stale = tally.stale + excluded.stale,
      pending = tally.pending + excluded.pending
  `.execute(tx)
}

/** What the changes add to each shard, without the shards that they leave as they are. */
function sumsByShard(changes: readonly StatusChange[]) {
  const byShard = new Map<string, { checkId: string; shard: number; sums: Sums }>()
  for (const { checkId, deviceId, from, to } of changes) {
    if (from === to) continue
    const shard = shardOf(deviceId)
    const key = `${checkId}/${shard}`
    const entry = byShard.get(key) ?? { checkId, shard, sums: { ...nothing } }
    for (const status of countedStatuses) entry.sums[status] += Number(to === status) - Number(from === status)
    byShard.set(key, entry)
  }
  return [...byShard.values()].filter(({ sums }) => countedStatuses.some((status) => sums[status] !== 0))
}
