import type { IssueViewFilter, IssueViewListing } from '@muster/contract/console-issues.ts'
import type { IssueSort } from '@muster/contract/console-values.ts'
import { type Expression, sql } from 'kysely'
import { foldedPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { textFields } from '../../compliance/issues/owner-text-queries.ts'
import { type ChosenOrder, keyOfPlace, placeIn } from './chosen-order.ts'

const fromIssues = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('issues')
    .innerJoin('devices', (join) =>
      join.onRef('devices.organization_id', '=', 'issues.organization_id').onRef('devices.id', '=', 'issues.device_id'),
    )
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'issues.organization_id').onRef('checks.id', '=', 'issues.check_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
    .leftJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'devices.organization_id')
        .onRef('people.id', '=', 'devices.registered_owner_id'),
    )
    .select([
      'issues.id',
      'issues.title',
      'issues.issue_value',
      'issues.exempted',
      'issues.detected_at',
      'issues.resolved_at',
      'issues.blocks_device_at',
      'issues.hold_id',
      'issues.device_id',
      'devices.name as device_name',
      'issues.check_id',
      'checks.name as check_name',
      'configuration.remediation_strategy',
      'configuration.paused_at',
      'people.id as owner_id',
      'people.name as owner_name',
    ])
    .where(inOrganization('issues', organizationId))
    .where('devices.deleted_at', 'is', null)

export type IssueViewRow = Omit<Awaited<ReturnType<typeof listIssueViews>>[number], 'place'>

const id = { column: 'issues.id', type: 'bigint' } as const
const found = { column: 'issues.detected_at', type: 'timestamptz' } as const
const deadline = { column: sql`coalesce(issues.blocks_device_at, 'infinity')`, type: 'timestamptz' } as const

const orders: Readonly<Record<IssueSort | 'newest', ChosenOrder>> = {
  newest: { id, sort: found, direction: 'desc' },
  detected_at: { id, sort: found, direction: 'asc' },
  blocks_at: { id, sort: deadline, direction: 'asc' },
}

export function listIssueViews(reader: Reader, page: ListPage, { sort: asked, ...filter }: IssueViewListing) {
  const { organizationId, after, limit, now } = page
  const sort = asked ?? 'newest'
  const order = orders[sort]
  return fromIssues(reader, organizationId)
    .select(placeIn(sort, order))
    .where((build) => build.and(conditionsOf(organizationId, filter, now)))
    .$call(nextRows(order, keyOfPlace(sort, after), limit))
    .execute()
}

export const countIssueViews = (reader: Reader, organizationId: string, filter: IssueViewFilter, now: string) =>
  fromIssues(reader, organizationId)
    .clearSelect()
    .select(sql<number>`count(*)::int`.as('count'))
    .where((build) => build.and(conditionsOf(organizationId, filter, now)))
    .executeTakeFirstOrThrow()

function conditionsOf(organizationId: string, filter: IssueViewFilter, now: string): Expression<boolean>[] {
  const { state = 'open', check, device, search } = filter
  const conditions: Expression<boolean>[] = [...stateConditions(state, now)]
  if (check) conditions.push(sql<boolean>`issues.check_id = ${check}::bigint`)
  if (device) conditions.push(sql<boolean>`issues.device_id = ${device}::bigint`)
  const text = search?.trim() ?? ''
  if (text !== '') {
    const pattern = foldedPattern(text)
    // Not the name of the joined device: each part has an index of its own, so that a search reads what it finds.
    conditions.push(sql<boolean>`(folded(issues.title) like ${pattern} or folded(issues.issue_value) like ${pattern}
      or issues.device_id = any(array(select named.id from devices as named
        where named.organization_id = ${organizationId}::bigint and folded(named.name) like ${pattern})))`)
  }
  return conditions
}

function stateConditions(state: NonNullable<IssueViewFilter['state']>, now: string): Expression<boolean>[] {
  if (state === 'all') return []
  if (state === 'resolved') return [sql<boolean>`issues.resolved_at is not null`]
  const isOpen = sql<boolean>`issues.resolved_at is null`
  const counts = sql<boolean>`not issues.exempted`
  // A check that was paused or blocks no more blocks nobody, also where its issues are yet to be decided again.
  const isInForce = sql<boolean>`configuration.paused_at is null`
  const blocks = sql<boolean>`configuration.remediation_strategy in ('block_immediately', 'warn_then_block')`
  const isReport = sql<boolean>`configuration.remediation_strategy = 'report_only'`
  const isHeld = sql<boolean>`issues.hold_id is not null`
  switch (state) {
    case 'open':
      return [isOpen]
    case 'exempted':
      return [isOpen, sql<boolean>`issues.exempted`]
    case 'blocking':
      return [isOpen, counts, isInForce, blocks, sql<boolean>`issues.blocks_device_at <= ${now}::timestamptz`]
    case 'will_block':
      return [isOpen, counts, isInForce, blocks, sql<boolean>`issues.blocks_device_at > ${now}::timestamptz`]
    case 'held':
      return [isOpen, counts, isInForce, isHeld, sql<boolean>`issues.blocks_device_at is null`]
    case 'notified':
      return [
        isOpen,
        counts,
        isInForce,
        sql<boolean>`not ${isHeld}`,
        sql<boolean>`devices.registered_owner_id is not null and not ${isReport}`,
        sql<boolean>`(issues.blocks_device_at is null or not ${blocks})`,
      ]
    case 'report_only':
      return [isOpen, counts, isInForce, isReport]
  }
}

export const findIssueFacts = (reader: Reader, organizationId: string, issueId: string) =>
  fromIssues(reader, organizationId)
    .leftJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'issues.organization_id')
        .onRef('result.device_id', '=', 'issues.device_id')
        .onRef('result.check_id', '=', 'issues.check_id'),
    )
    .leftJoin('check_refreshes as refresh', (join) =>
      join
        .onRef('refresh.organization_id', '=', 'issues.organization_id')
        .onRef('refresh.device_id', '=', 'issues.device_id')
        .onRef('refresh.check_id', '=', 'issues.check_id'),
    )
    .select([
      'issues.value',
      'issues.issue_key',
      'issues.last_rechecked_at',
      'issues.exempted_on_request',
      'refresh.requested_at as recheck_asked_at',
      'result.exempted_at',
      'result.exemption_reason',
      'result.exemption_expires_at',
      'result.snoozed_until',
      ...textFields,
    ])
    .where('issues.id', '=', issueId)
    .executeTakeFirst()

export type IssueFactsRow = NonNullable<Awaited<ReturnType<typeof findIssueFacts>>>

const maxListed = 10

export const listRequestsForIssue = (reader: Reader, organizationId: string, issueId: string) =>
  reader
    .selectFrom('exemption_request_issues as covered')
    .innerJoin('exemption_requests', (join) =>
      join
        .onRef('exemption_requests.organization_id', '=', 'covered.organization_id')
        .onRef('exemption_requests.id', '=', 'covered.exemption_request_id'),
    )
    .select(['exemption_requests.id', 'exemption_requests.status', 'exemption_requests.requested_at'])
    .where(inOrganization('exemption_requests', organizationId))
    .where('covered.issue_id', '=', issueId)
    .orderBy('exemption_requests.id', 'desc')
    .limit(maxListed)
    .execute()

export const listSameIssues = (
  reader: Reader,
  organizationId: string,
  issue: Pick<IssueFactsRow, 'id' | 'device_id' | 'check_id' | 'issue_value'>,
) =>
  reader
    .selectFrom('issues')
    .select(['id', 'detected_at', 'resolved_at'])
    .where(inOrganization('issues', organizationId))
    .where('device_id', '=', issue.device_id)
    .where('check_id', '=', issue.check_id)
    .where(sql<boolean>`issue_value is not distinct from ${issue.issue_value}`)
    .where('id', '<>', issue.id)
    .orderBy('id', 'desc')
    .limit(maxListed)
    .execute()
