import type { TableColumn } from '../reporting-table.ts'

type Described = readonly [name: string, type: TableColumn['type'], description: string]

const columns = (...described: Described[]): readonly TableColumn[] =>
  described.map(([name, type, description]) => ({ name, type, description }))

const check: Described[] = [
  ['check_id', 'integer', 'The check.'],
  ['check_name', 'text', 'Name of the check.'],
]
const device: Described[] = [
  ['device_id', 'integer', 'The device.'],
  ['device_name', 'text', 'Name of the device.'],
]
const person: Described[] = [
  ['person_id', 'integer', 'The person.'],
  ['person_name', 'text', 'Name of the person.'],
  ['email', 'text', 'E-mail address of the person.'],
]

export const checkCatalogColumns = columns(
  ...check,
  ['slug', 'text', 'Lasting short name of the check.'],
  ['type', 'text', 'osquery, custom or external.'],
  ['platforms', 'text', 'Platforms that it runs on; a list in SQL.'],
  ['topics', 'text', 'What it is about; a list in SQL.'],
  ['remediation_strategy', 'text', 'report_only, notify_only, warn_then_block or block_immediately.'],
  ['paused', 'text', 'Whether it is paused; a boolean in SQL.'],
  ['configured_at', 'time', 'When its configuration last changed.'],
  ['created_at', 'time', 'When it was added.'],
)

export const checkResultColumns = columns(
  ...check,
  ['check_slug', 'text', 'Lasting short name of the check.'],
  ...device,
  ['status', 'text', 'pending, passing, failing, unknown, errored, inapplicable, stale or out_of_scope.'],
  ['ran_at', 'time', 'When the check last ran on the device; nothing until it has.'],
  ['error_message', 'text', 'Why the check could not run, or cannot tell.'],
  ['rows', 'text', 'The rows that the check answered; jsonb in SQL.'],
  ['exempted_at', 'time', 'When the check was exempted on the device.'],
  ['exemption_reason', 'text', 'Why it was exempted.'],
  ['exemption_expires_at', 'time', 'When the exemption ends.'],
)

export const checkIssueColumns = columns(
  ['issue_id', 'integer', 'The issue.'],
  ...check,
  ...device,
  ['title', 'text', 'What is wrong, in a few words.'],
  ['issue_key', 'text', 'Column that tells the issues of one check apart.'],
  ['issue_value', 'text', 'Its value in this issue.'],
  ['value', 'text', 'The row that failed; jsonb in SQL.'],
  ['exempted', 'text', 'Whether the issue is exempted; a boolean in SQL.'],
  ['detected_at', 'time', 'When the issue was first found.'],
  ['resolved_at', 'time', 'When it was resolved; nothing while it is open.'],
  ['last_rechecked_at', 'time', 'When the check last looked again.'],
  ['blocks_device_at', 'time', 'When it blocks the device, or began to.'],
)

export const personColumns = columns(
  ...person,
  ['usernames', 'text', 'Account names; a list in SQL.'],
  ['created_at', 'time', 'When the person was added.'],
  ['last_authenticated_at', 'time', 'When the person last signed in.'],
)

export const personGroupColumns = columns(
  ...person,
  ['group_id', 'integer', 'A group of the person.'],
  ['group_name', 'text', 'Name of the group.'],
)

export const personDeviceColumns = columns(
  ...person,
  ...device,
  ['device_type', 'text', 'Mac, Windows, Linux, iOS or Android.'],
  ['operating_system', 'text', 'Operating system.'],
  ['hardware_model', 'text', 'Model.'],
  ['serial', 'text', 'Serial number.'],
  ['auth_state', 'text', 'good, notified, will_block or blocked.'],
  ['will_block_at', 'time', 'When the device will be blocked.'],
  ['registered_at', 'time', 'When the person registered the device.'],
  ['last_seen_at', 'time', 'When the device last reported.'],
)
