import type { Issue } from '@muster/contract/issues.ts'
import type { Links } from '../../base/links.ts'
import type { IssueRow } from './queries.ts'

export const presentIssue = (row: IssueRow, links: Links): Issue => ({
  id: row.id,
  issue_key: row.issue_key,
  issue_value: row.issue_value,
  title: row.title,
  value: row.value,
  exempted: row.exempted,
  resolved_at: row.resolved_at,
  detected_at: row.detected_at,
  blocks_device_at: row.blocks_device_at,
  device_information: links.device(row.device_id),
  check_information: links.check(row.check_id),
  last_rechecked_at: row.last_rechecked_at,
})
