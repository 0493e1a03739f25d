import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Tx } from '../base/db/transact.ts'
import { fail } from '../base/errors.ts'
import { queueAgentNotice, queueAgentNotices } from '../inventory/devices/queue-agent-notice.ts'
import { shards } from './adjust-live-tallies.ts'
import { computerTypes, type Targets, targetedTypes } from './targeting-rules.ts'

type Run = { organizationId: string; campaignId: string; revision: number; targets: Targets; now: string }

/** A notice for each device up to this many; beyond, one tells all devices of the organization to look. */
const maxNotices = 1_000

/**
 * The computers that fit, locked so that one which is being deleted is either gone by now or counts until then. A
 * device that is deleted is locked before its targets, so take both in this order.
 */
const fitting = (organizationId: string, targets: Targets) => sql`
  select id from devices
  where ${inOrganization('devices', organizationId)} and deleted_at is null
    and device_type = any(${[...computerTypes]}::text[])
    and (id = any(${targets.deviceIds}::bigint[]) or device_type = any(${targetedTypes(targets)}::text[]))
  order by id for share`

/** Locks the devices that `insertTargets` is about to add. */
export async function lockFitting(tx: Tx, organizationId: string, targets: Targets): Promise<void> {
  await sql`select count(*) from (${fitting(organizationId, targets)}) as device`.execute(tx)
}

/** Has every device that fits run the revision, and tells their agents. Fails with invalid when none fits. */
export async function insertTargets(tx: Tx, run: Run): Promise<void> {
  const { organizationId, campaignId, revision, targets, now } = run
  const { rows } = await sql<{ device_ids: string[] | null }>`
    with fitting as (${fitting(organizationId, targets)}), added as (
      insert into live_query_targets (organization_id, campaign_id, device_id, revision, status)
      select ${organizationId}::bigint, ${campaignId}::bigint, id, ${revision}::int, 'waiting' from fitting
      returning device_id
    ), counted as (
      insert into live_query_tallies (organization_id, campaign_id, shard, waiting, successful, errored)
      select ${organizationId}::bigint, ${campaignId}::bigint, device_id % ${sql.lit(shards)}, count(*), 0, 0
      from added group by device_id % ${sql.lit(shards)}
    )
    select array_agg(device_id) as device_ids from (select device_id from added limit ${maxNotices + 1}) as target
  `.execute(tx)
  const deviceIds = rows[0]?.device_ids ?? []
  if (deviceIds.length === 0) {
    fail('invalid', { errors: [{ field: '', message: 'no computer of the organization is targeted' }] })
  }
  if (deviceIds.length > maxNotices) await queueAgentNotice(tx, organizationId, null, now)
  else await queueAgentNotices(tx, organizationId, deviceIds, now)
}

/** Another organization's device is refused in the same words as one that never was. */
export async function refuseUnknownDevices(tx: Tx, organizationId: string, named: readonly string[]): Promise<void> {
  if (named.length === 0) return
  const found = await tx
    .selectFrom('devices')
    .select(['id', 'device_type'])
    .where(inOrganization('devices', organizationId))
    .where('id', '=', sql<string>`any(${named}::bigint[])`)
    .where('deleted_at', 'is', null)
    .execute()
  const types = new Map(found.map(({ id, device_type }) => [id, device_type]))
  const errors = named.flatMap((id, index) => {
    const type = types.get(id)
    if (type !== undefined && computerTypes.some((one) => one === type)) return []
    const message = type === undefined ? 'there is no such device' : 'phones and tablets run no queries'
    return [{ field: `targeted_device_ids/${index}`, message }]
  })
  if (errors.length > 0) fail('invalid', { errors: errors.slice(0, 100) })
}
