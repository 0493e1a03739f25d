import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Db, Reader } from '../../base/db/transact.ts'
import type { CheckState, LiveQueryState } from './due-rules.ts'

export type StoredDevice = {
  organizationId: string
  deviceId: string
  deviceType: Database['devices']['device_type']
  /** Whether a companion waits for the device to report its file. */
  isLinking: boolean
  /** Of an unconfirmed node, until when. */
  unconfirmedUntil: string | null
  /** Whether the organization has reporting. */
  hasReporting: boolean
  /** The tables that it has reported, or has said why not, if it enrolled recently. */
  firstReported: readonly string[] | undefined
  checks: CheckState[]
  /** The live queries that wait for it, the oldest first. */
  liveQueries: LiveQueryState[]
}

type Row = {
  lookup_hash: Buffer
  organization_id: string
  device_id: string
  device_type: StoredDevice['deviceType']
  has_reporting: boolean
  is_linking: boolean
  unconfirmed_until: string | null
  first_reported: string[] | null
  check_ids: string[] | null
  query_revisions: (string | null)[] | null
  ran_at: (string | null)[] | null
  are_denied: boolean[] | null
  noted_check_ids: string[] | null
  noted_at: string[] | null
  refreshed_check_ids: string[] | null
  requested_at: string[] | null
  campaign_ids: string[] | null
  campaign_revisions: number[] | null
}

/** What osquery answers instead of running a query that its watchdog has ended (`Distributed::runQueries`). */
const deniedMessage = 'distributed query is denylisted'

/** What is loaded at a time; the rest comes once these are answered. */
const liveQueriesPerLoad = 100

/**
 * The living devices of these node keys, by the hash in hex, each with what decides when its checks are due: one
 * statement for all. A node key comes without an organization, so its look-up row says which it is.
 */
export async function findDevicesByNodeKeys(
  db: Db,
  hashes: readonly Buffer[],
  enrolledAfter: string,
): Promise<Map<string, StoredDevice>> {
  const { rows } = await sql<Row>`
    select lookup.lookup_hash, lookup.unconfirmed_until, devices.organization_id, devices.id as device_id, devices.device_type,
      not 'reporting' = any(organization.disabled_features) as has_reporting,
      exists (
        select from companion_keys as key where key.organization_id = devices.organization_id
          and key.device_id = devices.id and (key.link_name is not null or key.rival_link_name is not null)
      ) as is_linking,
      case when devices.enrolled_at > ${enrolledAfter}::timestamptz then array(
        select reporting_table from device_snapshots as snapshot
        where snapshot.organization_id = devices.organization_id and snapshot.device_id = devices.id
        union all select reporting_table from device_table_problems as problem
        where problem.organization_id = devices.organization_id and problem.device_id = devices.id
      ) end as first_reported,
      result.check_ids, result.query_revisions, result.ran_at, result.are_denied,
      runs.check_ids as noted_check_ids, runs.ran_at as noted_at,
      refresh.check_ids as refreshed_check_ids, refresh.requested_at, live.campaign_ids, live.campaign_revisions
    from node_key_lookups as lookup
    -- Without statistics a join would read all living devices: few are taken to be alive.
    cross join lateral (
      select organization_id, id, device_type, enrolled_at, deleted_at from devices
      where devices.organization_id = lookup.organization_id and devices.id = lookup.device_id
      limit 1
    ) as devices
    join organizations as organization on organization.id = devices.organization_id
    left join device_check_runs as runs
      on runs.organization_id = devices.organization_id and runs.device_id = devices.id
    left join lateral (
      select array_agg(check_id) as check_ids, array_agg(query_revision) as query_revisions, array_agg(ran_at) as ran_at,
        array_agg(coalesce(error_message = ${deniedMessage}, false)) as are_denied
      from check_results
      where check_results.organization_id = devices.organization_id and check_results.device_id = devices.id
    ) as result on true
    left join lateral (
      select array_agg(check_id) as check_ids, array_agg(requested_at) as requested_at from check_refreshes
      where check_refreshes.organization_id = devices.organization_id and check_refreshes.device_id = devices.id
    ) as refresh on true
    left join lateral (
      select array_agg(campaign_id) as campaign_ids, array_agg(revision) as campaign_revisions
      from (
        select campaign_id, revision from live_query_targets
        where live_query_targets.organization_id = devices.organization_id
          and live_query_targets.device_id = devices.id and live_query_targets.status = 'waiting'
        order by campaign_id limit ${sql.lit(liveQueriesPerLoad)}
      ) as waiting
    ) as live on true
    where lookup.lookup_hash = any(${hashes}::bytea[]) and devices.deleted_at is null
  `.execute(db)
  return new Map(rows.map((row) => [row.lookup_hash.toString('hex'), storedDevice(row)]))
}

function storedDevice(row: Row): StoredDevice {
  const noted = byCheck(row.noted_check_ids, row.noted_at)
  const requested = byCheck(row.refreshed_check_ids, row.requested_at)
  const checks = (row.check_ids ?? []).map((checkId, index): CheckState => {
    const moments = [row.ran_at?.[index] ?? '', noted.get(checkId) ?? '']
    return {
      checkId,
      queryRevision: row.query_revisions?.[index] ?? null,
      ranAtMs: momentMs(moments.sort().at(-1) ?? ''),
      refreshRequestedAtMs: momentMs(requested.get(checkId) ?? ''),
      isDenied: row.are_denied?.[index] ?? false,
    }
  })
  const liveQueries = (row.campaign_ids ?? []).map((campaignId, index) => ({
    campaignId,
    revision: row.campaign_revisions?.[index] ?? 0,
  }))
  return {
    organizationId: row.organization_id,
    deviceId: row.device_id,
    deviceType: row.device_type,
    hasReporting: row.has_reporting,
    isLinking: row.is_linking,
    unconfirmedUntil: row.unconfirmed_until,
    firstReported: row.first_reported ?? undefined,
    checks,
    liveQueries,
  }
}

const byCheck = (checkIds: readonly string[] | null, moments: readonly string[] | null): Map<string, string> =>
  new Map(checkIds?.map((checkId, index) => [checkId, moments?.[index] ?? '']))

const momentMs = (moment: string): number | undefined => (moment === '' ? undefined : Date.parse(moment))

/** The checks of an organization that agents run, as they are configured now. */
export function listScheduledChecks(reader: Reader, organizationId: string) {
  return reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .select([
      'checks.id as check_id',
      'checks.slug',
      'checks.sql_template',
      'checks.option_definitions',
      'checks.interval_seconds',
      'configuration.options',
      'configuration.query_revision',
      'configuration.upgraded_query_revision',
    ])
    .where(inOrganization('checks', organizationId))
    .where('checks.sql_template', 'is not', null)
    .where('checks.deletion_requested_at', 'is', null)
    .where('configuration.paused_at', 'is', null)
    .orderBy('checks.id')
    .execute()
}
