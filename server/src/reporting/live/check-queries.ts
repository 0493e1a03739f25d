import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { TableRecord } from '../reporting-table.ts'
import { checkCatalogColumns, checkIssueColumns, checkResultColumns } from './live-columns.ts'
import { recordsOf } from './table-records.ts'

const byCheck: Keyset = { id: { column: 'checks.id', type: 'bigint' }, direction: 'asc' }

export async function listCheckCatalog(reader: Reader, page: ListPage): Promise<TableRecord[]> {
  const rows = await reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .select(['checks.id as check_id', 'checks.name as check_name', 'checks.slug', 'checks.type', 'checks.platforms'])
    .select(['checks.topics', 'configuration.remediation_strategy', 'configuration.updated_at as configured_at'])
    .select([sql<boolean>`configuration.paused_at is not null`.as('paused'), 'checks.created_at'])
    .where(inOrganization('checks', page.organizationId))
    .$call(onPage(page, byCheck, { check_id: { column: 'checks.id', type: 'bigint' } }))
    .execute()
  return recordsOf(checkCatalogColumns, rows, ({ check_id }) => check_id)
}

const byCheckAndDevice: Keyset = {
  sort: { column: 'check_results.check_id', type: 'bigint' },
  id: { column: 'check_results.device_id', type: 'bigint' },
  direction: 'asc',
}

/** As a result's own list has it: a run that changed nothing is noted apart from the result. */
const lastRan = sql<string | null>`case when check_results.ran_at is not null then greatest(
  check_results.ran_at, runs.ran_at[array_position(runs.check_ids, check_results.check_id)]) end`

export async function listCheckResults(reader: Reader, page: ListPage): Promise<TableRecord[]> {
  const rows = await reader
    .selectFrom('check_results')
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'check_results.organization_id')
        .onRef('checks.id', '=', 'check_results.check_id'),
    )
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'check_results.organization_id')
        .onRef('devices.id', '=', 'check_results.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .leftJoin('device_check_runs as runs', (join) =>
      join
        .onRef('runs.organization_id', '=', 'check_results.organization_id')
        .onRef('runs.device_id', '=', 'check_results.device_id'),
    )
    .select(['check_results.check_id', 'checks.name as check_name', 'checks.slug as check_slug'])
    .select(['check_results.device_id', 'devices.name as device_name', 'check_results.status'])
    .select([lastRan.as('ran_at'), 'check_results.error_message', 'check_results.rows', 'check_results.exempted_at'])
    .select(['check_results.exemption_reason', 'check_results.exemption_expires_at'])
    .where(inOrganization('check_results', page.organizationId))
    .$call(
      onPage({ ...page, after: page.after?.split('-') }, byCheckAndDevice, {
        check_id: { column: 'check_results.check_id', type: 'bigint' },
      }),
    )
    .execute()
  return recordsOf(checkResultColumns, rows, ({ check_id, device_id }) => `${check_id}-${device_id}`)
}

const byIssue: Keyset = { id: { column: 'issues.id', type: 'bigint' }, direction: 'asc' }

export async function listCheckIssues(reader: Reader, page: ListPage): Promise<TableRecord[]> {
  const rows = await reader
    .selectFrom('issues')
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'issues.organization_id').onRef('checks.id', '=', 'issues.check_id'),
    )
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'issues.organization_id')
        .onRef('devices.id', '=', 'issues.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .select(['issues.id as issue_id', 'issues.check_id', 'checks.name as check_name', 'issues.device_id'])
    .select(['devices.name as device_name', 'issues.title', 'issues.issue_key', 'issues.issue_value', 'issues.value'])
    .select(['issues.exempted', 'issues.detected_at', 'issues.resolved_at', 'issues.last_rechecked_at'])
    .select('issues.blocks_device_at')
    .where(inOrganization('issues', page.organizationId))
    .$call(onPage(page, byIssue, { check_id: { column: 'issues.check_id', type: 'bigint' } }))
    .execute()
  return recordsOf(checkIssueColumns, rows, ({ issue_id }) => issue_id)
}
