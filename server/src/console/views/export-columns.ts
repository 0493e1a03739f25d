import type { CsvColumns } from '../../base/lists/csv-columns.ts'
import type { listAuditViews } from './audit-entries.ts'
import type { DeviceViewRow } from './device-list.ts'
import type { IssueViewRow } from './issue-queries.ts'
import type { listPersonViews } from './people.ts'
import type { listSignInViews } from './sign-ins.ts'

type RowOf<List extends (...given: never[]) => Promise<readonly unknown[]>> = Awaited<ReturnType<List>>[number]

export const deviceColumns: CsvColumns<DeviceViewRow> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['platform', ({ device_type: platform }) => platform],
  ['state', ({ standing }) => standing],
  ['will_block_at', ({ will_block_at: at }) => at],
  ['blocked_since', ({ blocked_since: at }) => at],
  ['owner_id', ({ owner_id: id }) => id],
  ['owner', ({ owner_name: name }) => name],
  ['operating_system', ({ operating_system: system }) => system],
  ['serial', ({ serial }) => serial],
  ['open_issues', ({ open_issues: count }) => count],
  ['last_seen_at', ({ last_seen_at: at }) => at],
]

export const personColumns: CsvColumns<RowOf<typeof listPersonViews>> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['email', ({ email }) => email],
  ['devices', ({ devices_count: count }) => count],
  ['worst_state', ({ worst_state: state }) => state],
  ['groups', ({ groups_count: count }) => count],
  ['created_at', ({ created_at: at }) => at],
  ['last_authenticated_at', ({ last_authenticated_at: at }) => at],
  ['deprovisioned_at', ({ deprovisioned_at: at }) => at],
]

export const issueColumns: CsvColumns<IssueViewRow> = [
  ['id', ({ id }) => id],
  ['title', ({ title }) => title],
  ['value', ({ issue_value: value }) => value],
  ['check_id', ({ check_id: id }) => id],
  ['check', ({ check_name: name }) => name],
  ['device_id', ({ device_id: id }) => id],
  ['device', ({ device_name: name }) => name],
  ['owner', ({ owner_name: name }) => name],
  ['when_it_fails', ({ remediation_strategy: strategy }) => strategy],
  ['paused_at', ({ paused_at: at }) => at],
  ['exempted', ({ exempted }) => String(exempted)],
  ['detected_at', ({ detected_at: at }) => at],
  ['blocks_device_at', ({ blocks_device_at: at }) => at],
  ['resolved_at', ({ resolved_at: at }) => at],
]

export const signInColumns: CsvColumns<RowOf<typeof listSignInViews>> = [
  ['id', ({ id }) => id],
  ['started_at', ({ started_at: at }) => at],
  ['result', ({ result }) => result],
  ['initial_status', ({ initial_status: status }) => status],
  ['person_id', ({ person_id: id }) => id],
  ['person', ({ person_name: name }) => name],
  ['email', ({ person_email: email }) => email],
  ['device_id', ({ device_id: id }) => id],
  ['device', ({ device_name: name }) => name],
  ['ip_address', ({ ip_address: address }) => address],
  ['city', ({ city }) => city],
  ['country', ({ country }) => country],
  ['browser', ({ browser_name: name }) => name],
  ['application', ({ application_name: name }) => name],
  ['failure_reason', ({ failure_reason: reason }) => reason],
]

export const auditColumns: CsvColumns<RowOf<typeof listAuditViews>> = [
  ['id', ({ id }) => id],
  ['timestamp', ({ timestamp }) => timestamp],
  ['actor_type', ({ actor_type: type }) => type],
  ['actor', ({ actor_name: name }) => name],
  ['actor_email', ({ actor_email: email }) => email],
  ['ip_address', ({ ip_address: address }) => address],
  ['action', ({ action }) => action],
  ['description', ({ description }) => description],
  ['changes', ({ changes }) => changes && JSON.stringify(changes)],
  ['hash', ({ hash }) => hash.toString('hex')],
]
