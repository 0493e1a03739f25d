import type { issueSearch } from '@muster/contract/issues.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const searchColumns = {
  id: { column: 'issues.id', type: 'bigint' },
  detected_at: { column: 'issues.detected_at', type: 'timestamptz' },
  resolved_at: { column: 'issues.resolved_at', type: 'timestamptz' },
  blocks_device_at: { column: 'issues.blocks_device_at', type: 'timestamptz' },
  title: { column: 'issues.title', type: 'text' },
  issue_key: { column: 'issues.issue_key', type: 'text' },
  issue_value: { column: 'issues.issue_value', type: 'text' },
  exempted: { column: 'issues.exempted', type: 'boolean' },
  check_id: { column: 'issues.check_id', type: 'bigint' },
  device_id: { column: 'issues.device_id', type: 'bigint' },
  last_rechecked_at: { column: 'issues.last_rechecked_at', type: 'timestamptz' },
} satisfies SearchColumns<typeof issueSearch>

const byId: Keyset = { id: { column: 'issues.id', type: 'bigint' }, direction: 'asc' }

/**
 * A deleted device hides its issues until it is restored. The query looks for those that are deleted, not those
 * that are there: they are few and have an index of their own, so that no row of the page needs its device.
 */
const fromIssues = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('issues')
    .select([
      'issues.id',
      'issues.issue_key',
      'issues.issue_value',
      'issues.title',
      'issues.value',
      'issues.exempted',
      'issues.resolved_at',
      'issues.detected_at',
      'issues.blocks_device_at',
      'issues.device_id',
      'issues.check_id',
      'issues.last_rechecked_at',
    ])
    .where(inOrganization('issues', organizationId))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('devices')
            .select('devices.id')
            .whereRef('devices.organization_id', '=', 'issues.organization_id')
            .whereRef('devices.id', '=', 'issues.device_id')
            .where('devices.deleted_at', 'is not', null),
        ),
      ),
    )

export type IssueRow = Awaited<ReturnType<typeof listIssues>>[number]

const issueList = (reader: Reader, page: ListPage) =>
  fromIssues(reader, page.organizationId).$call(onPage(page, byId, searchColumns))

export const listIssues = compileList(issueList)

export const listOpenIssuesOfDevice = compileList((reader, page: ListPage<{ readonly deviceId: string }>) =>
  issueList(reader, page).where('issues.device_id', '=', page.params.deviceId).where('issues.resolved_at', 'is', null),
)

export const listOpenIssuesOfPerson = compileList((reader, page: ListPage<{ readonly personId: string }>) =>
  issueList(reader, page)
    .where('issues.device_id', 'in', (eb) =>
      eb
        .selectFrom('devices')
        .select('devices.id')
        .where(inOrganization('devices', page.organizationId))
        .where('devices.registered_owner_id', '=', page.params.personId)
        .where('devices.deleted_at', 'is', null),
    )
    .where('issues.resolved_at', 'is', null),
)

export const findIssue = (reader: Reader, organizationId: string, id: string) =>
  fromIssues(reader, organizationId).where('issues.id', '=', id).executeTakeFirst()
