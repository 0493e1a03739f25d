import type { checkResultSearch } from '@muster/contract/check-results.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

/**
 * Runs that changed nothing are noted apart from the result they confirm, and outlive it: a check that comes back to a
 * device has not run yet.
 */
const lastRan = sql<string | null>`case when check_results.ran_at is not null then greatest(
  check_results.ran_at, runs.ran_at[array_position(runs.check_ids, check_results.check_id)]) end`

const searchColumns = {
  device_display_name: { column: 'devices.name', type: 'text' },
  ran_at: { column: lastRan, type: 'timestamptz' },
  check_name: { column: 'checks.name', type: 'text' },
  status: { column: 'check_results.status', type: 'text' },
} satisfies SearchColumns<typeof checkResultSearch>

const byCheck: Keyset = { id: { column: 'check_results.check_id', type: 'bigint' }, direction: 'asc' }
const byDevice: Keyset = { id: { column: 'check_results.device_id', type: 'bigint' }, direction: 'asc' }

const resultList = (reader: Reader, page: ListPage, keyset: Keyset) =>
  reader
    .selectFrom('check_results')
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'check_results.organization_id')
        .onRef('checks.id', '=', 'check_results.check_id'),
    )
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'check_results.organization_id')
        .onRef('devices.id', '=', 'check_results.device_id'),
    )
    .leftJoin('device_check_runs as runs', (join) =>
      join
        .onRef('runs.organization_id', '=', 'check_results.organization_id')
        .onRef('runs.device_id', '=', 'check_results.device_id'),
    )
    .select([
      'check_results.check_id',
      'checks.slug',
      'checks.name as check_name',
      'check_results.device_id',
      'devices.name as device_name',
      lastRan.as('ran_at'),
      'check_results.exemption_reason',
      'check_results.exemption_expires_at',
      'check_results.rows',
      'check_results.error_message',
      'check_results.status',
    ])
    .where(inOrganization('check_results', page.organizationId))
    .where('devices.deleted_at', 'is', null)
    .where('checks.deletion_requested_at', 'is', null)
    .$call(onPage(page, keyset, searchColumns))

export type ResultRow = Awaited<ReturnType<typeof listResultsOfDevice>>[number]

export const listResultsOfDevice = compileList((reader, page: ListPage<{ readonly deviceId: string }>) =>
  resultList(reader, page, byCheck).where('check_results.device_id', '=', page.params.deviceId),
)

export const listResultsOfCheck = compileList((reader, page: ListPage<{ readonly checkId: string }>) =>
  resultList(reader, page, byDevice).where('check_results.check_id', '=', page.params.checkId),
)
