import { sql } from 'kysely'
import { devicesById } from '../../base/db/devices-by-id.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Db, Tx } from '../../base/db/transact.ts'

type StoredStatus = Database['check_results']['status']

/** What the decision about a run needs to know about its check. */
export const listCheckFacts = (tx: Tx, organizationId: string, checkIds: readonly string[]) =>
  tx
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .select([
      'checks.id',
      'checks.primary_key_column',
      'checks.issue_title',
      'configuration.query_revision as wanted_revision',
      'configuration.upgraded_query_revision',
      'configuration.paused_at',
      'configuration.remediation_strategy',
      'configuration.block_auth_grace_period_days',
      'configuration.begins_blocking_on',
      'configuration.blocking_allowed_groups',
      'configuration.blocking_excluded_groups',
    ])
    .where(inOrganization('checks', organizationId))
    .where('checks.id', '=', sql<string>`any(${checkIds}::bigint[])`)
    .where('checks.deletion_requested_at', 'is', null)
    .execute()

export type CheckFacts = Awaited<ReturnType<typeof listCheckFacts>>[number]

export type Pair = { deviceId: string; checkId: string }

type Report = Pair & { digest: string; run: { queryRevision: string | null } }

/** A report that says something else than what is stored, by its place among all. */
export type StoredResult = {
  place: number
  /** Null, as the rest, where the check does not target the device. */
  status: StoredStatus | null
  ran_at: string | null
  query_revision: string | null
  exempted_at: string | null
  snoozed_until: string | null
  noted_at: string | null
  /** Another one once anyone has written the row. */
  version: string | null
}

/** What is stored beside each report; nothing for reports that say the same. */
export async function listOutdated(
  executor: Db | Tx,
  organizationId: string,
  reports: readonly Report[],
): Promise<StoredResult[]> {
  const deviceIds = new Set(reports.map(({ deviceId }) => deviceId))
  const { rows } = await sql<StoredResult>`
    select report.place::int as place, check_results.status, check_results.ran_at, check_results.query_revision,
      check_results.exempted_at, check_results.snoozed_until, check_results.xmin::text as version, (
        select noted.ran_at[array_position(noted.check_ids, check_results.check_id)] from device_check_runs as noted
        where noted.organization_id = check_results.organization_id and noted.device_id = check_results.device_id
      ) as noted_at
    from unnest(
      ${reports.map(({ deviceId }) => deviceId)}::bigint[],
      ${reports.map(({ checkId }) => checkId)}::bigint[],
      ${reports.map(({ run }) => run.queryRevision)}::bigint[],
      ${reports.map(({ digest }) => digest)}::bytea[]
    ) with ordinality as report (device_id, check_id, query_revision, digest, place)
    -- Without statistics a join would read all results of the organization.
    left join lateral (
      select *, xmin from check_results where ${inOrganization('check_results', organizationId)}
        and check_results.device_id = report.device_id and check_results.check_id = report.check_id
      limit 1
    ) as check_results on true
    left join check_configurations as configuration
      on configuration.organization_id = check_results.organization_id
      and configuration.check_id = check_results.check_id
    where (
      check_results.rows_digest = report.digest
      and check_results.query_revision is not distinct from report.query_revision
      and configuration.query_revision = coalesce(report.query_revision, configuration.query_revision)
      and check_results.status <> 'stale' and configuration.paused_at is null
      and report.device_id <> all (array(
        select devices.id from ${devicesById(organizationId, [...deviceIds])} where devices.deleted_at is not null
      ))
    ) is not true
    order by report.place
  `.execute(executor)
  return rows
}

export type NewResult = Pair & {
  /** Of the run; an exempted check stays out of scope. */
  status: Exclude<StoredStatus, 'out_of_scope'>
  rows: readonly Record<string, string>[]
  digest: string
  message: string | null
  needsOsquery: string | null
  /** Whether it is the first answer of the device to the query that an upgrade brought. */
  isFirstAfterUpgrade: boolean
  queryRevision: string | null
  ranAt: string
  /** Of the row that the decision was made on. */
  version: string | null
}

/** Replaces stored results, and returns how many still were of their version. Their devices are locked by the caller. */
export async function storeResults(tx: Tx, organizationId: string, results: readonly NewResult[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update check_results
    set status = case when exempted_at is null then result.status else 'out_of_scope' end,
      in_scope_status = case when exempted_at is not null then result.status end,
      rows = result.rows, rows_digest = result.digest, error_message = result.message, needs_osquery = result.needs_osquery,
      status_before_upgrade = case when not result.is_first then status_before_upgrade
        when check_results.status not in ('stale', 'out_of_scope') then check_results.status end,
      query_revision = result.query_revision, ran_at = result.ran_at
    from unnest(
      ${results.map(({ deviceId }) => deviceId)}::bigint[],
      ${results.map(({ checkId }) => checkId)}::bigint[],
      ${results.map(({ status }) => status)}::text[],
      ${results.map(({ rows }) => JSON.stringify(rows))}::jsonb[],
      ${results.map(({ digest }) => digest)}::bytea[],
      ${results.map(({ message }) => message)}::text[],
      ${results.map(({ needsOsquery }) => needsOsquery)}::text[],
      ${results.map(({ isFirstAfterUpgrade }) => isFirstAfterUpgrade)}::boolean[],
      ${results.map(({ queryRevision }) => queryRevision)}::bigint[],
      ${results.map(({ ranAt }) => ranAt)}::timestamptz[],
      ${results.map(({ version }) => version)}::text[]
    ) as result (device_id, check_id, status, rows, digest, message, needs_osquery, is_first, query_revision, ran_at, version)
    -- Each found by its key: without statistics a join would read all results of the organization.
    cross join lateral (
      select ctid from check_results where ${inOrganization('check_results', organizationId)}
        and check_results.device_id = result.device_id and check_results.check_id = result.check_id
      limit 1
    ) as found
    where check_results.ctid = found.ctid and check_results.xmin::text = result.version
  `.execute(tx)
  return Number(numAffectedRows)
}
