import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Database } from '../db/schema.ts'
import type { Tx } from '../db/transact.ts'

export type StoredStatus = Database['check_results']['status']

/** What deciding about a run needs to know of its check. */
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

/** The results of these pairs as they are stored; pairs that are not targeted have none. */
export async function listStoredResults(tx: Tx, organizationId: string, pairs: readonly Pair[]) {
  const { rows } = await sql<{
    device_id: string
    check_id: string
    status: StoredStatus
    ran_at: string | null
    exempted_at: string | null
    snoozed_until: string | null
    noted_at: string | null
  }>`
    select check_results.device_id, check_results.check_id, check_results.status, check_results.ran_at,
      check_results.exempted_at, check_results.snoozed_until, (
        select noted.ran_at[array_position(noted.check_ids, check_results.check_id)] from device_check_runs as noted
        where noted.organization_id = check_results.organization_id and noted.device_id = check_results.device_id
      ) as noted_at
    from unnest(
      ${pairs.map(({ deviceId }) => deviceId)}::bigint[], ${pairs.map(({ checkId }) => checkId)}::bigint[]
    ) as pair (device_id, check_id)
    join check_results on ${inOrganization('check_results', organizationId)}
      and check_results.device_id = pair.device_id and check_results.check_id = pair.check_id
  `.execute(tx)
  return rows
}

export type StoredResult = Awaited<ReturnType<typeof listStoredResults>>[number]

export type NewResult = Pair & {
  /** Of the run; an exempted check stays out of scope. */
  status: Exclude<StoredStatus, 'out_of_scope'>
  rows: readonly Record<string, string>[]
  digest: Buffer
  message: string | null
  queryRevision: string | null
  ranAt: string
}

/** Replaces stored results. Their devices are locked by the caller. */
export async function storeResults(tx: Tx, organizationId: string, results: readonly NewResult[]): Promise<void> {
  await sql`
    update check_results
    set status = case when exempted_at is null then result.status else 'out_of_scope' end,
      in_scope_status = case when exempted_at is not null then result.status end,
      rows = result.rows, rows_digest = result.digest, error_message = result.message,
      query_revision = result.query_revision, ran_at = result.ran_at
    from unnest(
      ${results.map(({ deviceId }) => deviceId)}::bigint[],
      ${results.map(({ checkId }) => checkId)}::bigint[],
      ${results.map(({ status }) => status)}::text[],
      ${results.map(({ rows }) => JSON.stringify(rows))}::jsonb[],
      ${results.map(({ digest }) => digest)}::bytea[],
      ${results.map(({ message }) => message)}::text[],
      ${results.map(({ queryRevision }) => queryRevision)}::bigint[],
      ${results.map(({ ranAt }) => ranAt)}::timestamptz[]
    ) as result (device_id, check_id, status, rows, digest, message, query_revision, ran_at)
    where ${inOrganization('check_results', organizationId)}
      and check_results.device_id = result.device_id and check_results.check_id = result.check_id
  `.execute(tx)
}
