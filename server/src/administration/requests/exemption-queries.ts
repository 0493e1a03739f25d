import type { exemptionRequestSearch } from '@muster/contract/exemption-requests.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const searchColumns = {
  status: { column: 'exemption_requests.status', type: 'text' },
  requested_at: { column: 'exemption_requests.requested_at', type: 'timestamptz' },
  requester_message: { column: 'exemption_requests.requester_message', type: 'text' },
} satisfies SearchColumns<typeof exemptionRequestSearch>

const byId: Keyset = { id: { column: 'exemption_requests.id', type: 'bigint' }, direction: 'asc' }

const issueIds = sql<string[]>`array(
  select covered.issue_id from exemption_request_issues as covered
  where covered.organization_id = exemption_requests.organization_id
    and covered.exemption_request_id = exemption_requests.id
  order by covered.issue_id
)`.as('issue_ids')

/** A deleted device takes its requests out of sight until it is restored. */
const fromExemptionRequests = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('exemption_requests')
    .select([
      'exemption_requests.id',
      'exemption_requests.status',
      'exemption_requests.internal_explanation',
      'exemption_requests.denial_explanation',
      'exemption_requests.requested_at',
      'exemption_requests.requester_message',
      'exemption_requests.person_id',
      'exemption_requests.device_id',
      issueIds,
    ])
    .where(inOrganization('exemption_requests', organizationId))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('devices')
            .select('devices.id')
            .whereRef('devices.organization_id', '=', 'exemption_requests.organization_id')
            .whereRef('devices.id', '=', 'exemption_requests.device_id')
            .where('devices.deleted_at', 'is not', null),
        ),
      ),
    )

export type ExemptionRequestRow = Awaited<ReturnType<typeof listExemptionRequests>>[number]

export const listExemptionRequests = compileList((reader, page: ListPage) =>
  fromExemptionRequests(reader, page.organizationId).$call(onPage(page, byId, searchColumns)),
)

export const findExemptionRequest = (reader: Reader, organizationId: string, id: string) =>
  fromExemptionRequests(reader, organizationId).where('exemption_requests.id', '=', id).executeTakeFirst()

/** Those of the issues that another request of this status covers. */
export async function listCoveredIssues(
  reader: Reader,
  organizationId: string,
  issueIdsAsked: readonly string[],
  { status, except }: { status: 'open' | 'approved'; except?: string },
): Promise<Set<string>> {
  const rows = await reader
    .selectFrom('exemption_request_issues as covered')
    .innerJoin('exemption_requests', (join) =>
      join
        .onRef('exemption_requests.organization_id', '=', 'covered.organization_id')
        .onRef('exemption_requests.id', '=', 'covered.exemption_request_id'),
    )
    .select('covered.issue_id')
    .where(inOrganization('exemption_requests', organizationId))
    .where('covered.issue_id', '=', sql<string>`any(${issueIdsAsked}::bigint[])`)
    .where('exemption_requests.status', '=', status)
    .where('exemption_requests.id', '<>', except ?? '0')
    .execute()
  return new Set(rows.map((row) => row.issue_id))
}
