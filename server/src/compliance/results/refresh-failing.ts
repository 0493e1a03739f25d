import { type RawBuilder, sql } from 'kysely'
import { devicesById } from '../../base/db/devices-by-id.ts'
import type { Tx } from '../../base/db/transact.ts'
import { queueAgentNotices } from '../../inventory/devices/queue-agent-notice.ts'

type Asked = { organizationId: string; deviceIds: readonly string[]; now: string }
type Refreshed = { devices_count: number; checks_count: number }

/**
 * Asks for every failing check of the devices to run at their next check-ins, where it runs on a schedule and is not paused.
 * Resolves to how many those are. Devices that the organization does not have are passed over.
 */
export const refreshFailing = (tx: Tx, asked: Asked): Promise<Refreshed> =>
  refresh(tx, asked, sql`result.status = 'failing'`)

/** As `refreshFailing`, for every check that is in scope, whatever its result. */
export const refreshAll = (tx: Tx, asked: Asked): Promise<Refreshed> =>
  refresh(tx, asked, sql`result.status <> 'out_of_scope'`)

/** When the check last ran on the device, whether or not it found something else then. */
const lastRan = sql`greatest(result.ran_at, (
  select noted.ran_at[array_position(noted.check_ids, result.check_id)] from device_check_runs as noted
  where noted.organization_id = result.organization_id and noted.device_id = result.device_id))`

const isStale = (now: string) => sql`(result.status <> 'out_of_scope'
  and configuration.remediation_strategy in ('block_immediately', 'warn_then_block')
  and coalesce(${lastRan}, '-infinity')
    <= ${now}::timestamptz - make_interval(secs => configuration.auth_check_run_shelf_life_seconds))`

/**
 * As `refreshFailing`, for every check that decides at a sign-in and last ran before its
 * `auth_check_run_shelf_life_seconds`, or never.
 */
export const refreshStale = (tx: Tx, asked: Asked): Promise<Refreshed> => refresh(tx, asked, isStale(asked.now))

/** As `refreshFailing` and `refreshStale` at once. */
export const refreshFailingAndStale = (tx: Tx, asked: Asked): Promise<Refreshed> =>
  refresh(tx, asked, sql`(result.status = 'failing' or ${isStale(asked.now)})`)

async function refresh(tx: Tx, { organizationId, deviceIds, now }: Asked, isMeant: RawBuilder<unknown>) {
  const { rows } = await sql<{ device_id: string }>`
    with standing as (
      select devices.id from ${devicesById(organizationId, deviceIds, sql`for key share`)}
      where devices.deleted_at is null
    )
    insert into check_refreshes (organization_id, device_id, check_id, requested_at)
    select result.organization_id, result.device_id, result.check_id, ${now}::timestamptz
    from standing
    join check_results as result on result.organization_id = ${organizationId}::bigint and result.device_id = standing.id
    join checks on checks.organization_id = result.organization_id and checks.id = result.check_id
    join check_configurations as configuration on configuration.organization_id = result.organization_id
      and configuration.check_id = result.check_id
    where ${isMeant} and checks.type <> 'external' and checks.deletion_requested_at is null
      and configuration.paused_at is null
    order by result.device_id, result.check_id
    on conflict on constraint check_refreshes_pkey do update set requested_at = excluded.requested_at
    returning device_id`.execute(tx)
  const asked = [...new Set(rows.map(({ device_id }) => device_id))]
  await queueAgentNotices(tx, organizationId, asked, now)
  return { devices_count: asked.length, checks_count: rows.length }
}
