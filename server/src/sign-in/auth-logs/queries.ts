import type { AuthLog, authLogSearch } from '@muster/contract/auth-logs.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const searchColumns = {
  timestamp: { column: 'auth_logs.started_at', type: 'timestamptz' },
  city: { column: 'auth_logs.city', type: 'text' },
  country: { column: 'auth_logs.country', type: 'text' },
  ip_address: { column: 'auth_logs.ip_address', type: 'text' },
  agent_version: { column: 'auth_logs.agent_version', type: 'text' },
  browser_name: { column: 'auth_logs.browser_name', type: 'text' },
  person_name: { column: 'auth_logs.person_name', type: 'text' },
  person_email: { column: 'auth_logs.person_email', type: 'text' },
  person_id: { column: 'auth_logs.person_id', type: 'bigint' },
  device_id: { column: 'auth_logs.device_id', type: 'bigint' },
  result: { column: 'auth_logs.result', type: 'text' },
} satisfies SearchColumns<typeof authLogSearch>

const newestFirst: Keyset = { id: { column: 'auth_logs.id', type: 'bigint' }, direction: 'desc' }

/** By themselves rather than joined: looked up for the rows of the page only, not for all that a search finds. */
const events = sql<AuthLog['events']>`coalesce((
  select jsonb_agg(jsonb_build_object(
    'timestamp', to_char(event.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'event_type', event.type, 'event_description', event.description) order by event.position)
  from auth_log_events as event
  where event.organization_id = auth_logs.organization_id and event.auth_log_id = auth_logs.id
), '[]')`.as('events')

type DisplayedIssue = Omit<AuthLog['issues_displayed'][number], 'link'>

const issuesDisplayed = sql<DisplayedIssue[]>`coalesce((
  select jsonb_agg(jsonb_build_object(
    'title', issue.title, 'blocking_status', issue.blocking_status, 'id', issue.issue_id::text) order by issue.position)
  from auth_log_issues as issue
  where issue.organization_id = auth_logs.organization_id and issue.auth_log_id = auth_logs.id
), '[]')`.as('issues_displayed')

const fromAuthLogs = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('auth_logs')
    .select([
      'auth_logs.id',
      'auth_logs.started_at',
      'auth_logs.result',
      'auth_logs.initial_status',
      'auth_logs.person_id',
      'auth_logs.person_name',
      'auth_logs.person_email',
      'auth_logs.device_id',
      'auth_logs.agent_version',
      'auth_logs.ip_address',
      'auth_logs.country',
      'auth_logs.city',
      'auth_logs.browser_name',
      'auth_logs.browser_user_agent',
      'auth_logs.application_id',
      'auth_logs.application_name',
      issuesDisplayed,
      events,
    ])
    .where(inOrganization('auth_logs', organizationId))

export type AuthLogRow = Awaited<ReturnType<typeof listAuthLogs>>[number]

export const listAuthLogs = compileList((reader, page: ListPage) =>
  fromAuthLogs(reader, page.organizationId).$call(onPage(page, newestFirst, searchColumns)),
)

export const findAuthLog = (reader: Reader, organizationId: string, id: string) =>
  fromAuthLogs(reader, organizationId).where('auth_logs.id', '=', id).executeTakeFirst()

type BlockingIssue = {
  id: string
  title: string
  blocks_device_at: string
  noted_status: 'blocked' | 'will_block' | null
}

/** Those among the open issues of a log's device that block it, or will, and what the log notes of each. */
export async function listBlockingIssues(
  reader: Reader,
  organizationId: string,
  authLogId: string,
  issueIds: readonly string[],
): Promise<BlockingIssue[]> {
  const rows = await reader
    .selectFrom('auth_logs')
    .innerJoin('issues', (join) =>
      join
        .onRef('issues.organization_id', '=', 'auth_logs.organization_id')
        .onRef('issues.device_id', '=', 'auth_logs.device_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
    .leftJoin('auth_log_issues as noted', (join) =>
      join
        .onRef('noted.organization_id', '=', 'auth_logs.organization_id')
        .onRef('noted.auth_log_id', '=', 'auth_logs.id')
        .onRef('noted.issue_id', '=', 'issues.id'),
    )
    .select(['issues.id', 'issues.title', 'issues.blocks_device_at', 'noted.blocking_status as noted_status'])
    .where(inOrganization('auth_logs', organizationId))
    .where('auth_logs.id', '=', authLogId)
    .where('issues.id', '=', sql<string>`any(${issueIds}::bigint[])`)
    .where('issues.resolved_at', 'is', null)
    .where('issues.exempted', '=', false)
    // A check that was paused or blocks no more blocks nobody, also where its issues are yet to be decided again.
    .where('configuration.remediation_strategy', 'in', ['block_immediately', 'warn_then_block'])
    .where('configuration.paused_at', 'is', null)
    .orderBy('issues.id')
    .execute()
  return rows.flatMap(({ blocks_device_at, ...issue }) =>
    blocks_device_at === null ? [] : [{ ...issue, blocks_device_at }],
  )
}
