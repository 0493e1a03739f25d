import type { IssueFacts, IssueView } from '@muster/contract/console-issues.ts'
import { ownerTextsOf } from '../../compliance/issues/owner-texts.ts'
import type { IssueFactsRow, IssueViewRow, listRequestsForIssue, listSameIssues } from './issue-queries.ts'

export const describeIssue = (row: IssueViewRow): IssueView => ({
  id: row.id,
  title: row.title,
  issue_value: row.issue_value,
  exempted: row.exempted,
  detected_at: row.detected_at,
  resolved_at: row.resolved_at,
  blocks_at: row.blocks_device_at,
  strategy: row.remediation_strategy,
  is_paused: row.paused_at !== null,
  is_held: row.hold_id !== null,
  device: { id: row.device_id, name: row.device_name },
  check: { id: row.check_id, name: row.check_name },
  owner: row.owner_id === null || row.owner_name === null ? null : { id: row.owner_id, name: row.owner_name },
})

type Lists = {
  readonly requests: Awaited<ReturnType<typeof listRequestsForIssue>>
  readonly earlier: Awaited<ReturnType<typeof listSameIssues>>
}

export const describeIssueFacts = (row: IssueFactsRow, { requests, earlier }: Lists): IssueFacts => ({
  ...describeIssue(row),
  value: row.value,
  ...ownerTextsOf(row, [row.value]),
  issue_key: row.issue_key,
  last_rechecked_at: row.last_rechecked_at,
  recheck_asked_at: row.recheck_asked_at,
  exemption:
    row.exempted_at === null
      ? null
      : { reason: row.exemption_reason ?? '', since: row.exempted_at, expires_at: row.exemption_expires_at },
  exempted_on_request: row.exempted_on_request,
  snoozed_until: row.snoozed_until,
  requests,
  earlier,
})
