import type { listDeviceGroups } from '../../administration/groups/queries.ts'
import type { CsvColumns } from '../../base/lists/csv-columns.ts'
import type { listResultsOfCheck } from '../../compliance/results/result-queries.ts'
import type { CheckViewRow } from './check-queries.ts'
import type { listLiveQueryViews } from './live-queries.ts'
import type { listPersonGroupViews } from './person-groups.ts'
import type { ExemptionRequestViewRow, RegistrationRequestViewRow } from './request-queries.ts'
import type { listStreamEventViews } from './stream-views.ts'
import type { listDeliveryViews } from './webhook-views.ts'

type RowOf<List extends (...given: never[]) => Promise<readonly unknown[]>> = Awaited<ReturnType<List>>[number]

export const checkColumns: CsvColumns<CheckViewRow> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['platforms', ({ platforms }) => platforms.join(' ')],
  ['when_it_fails', ({ remediation_strategy: strategy }) => strategy],
  ['kind', ({ is_provided: isProvided, type }) => (isProvided ? 'catalogue' : type)],
  ['paused_at', ({ paused_at: at }) => at],
  ['counted', ({ counted }) => counted],
  ['passing', ({ passing }) => passing],
  ['failing', ({ failing }) => failing],
  ['errored', ({ errored }) => errored],
  ['unknown', ({ unknown }) => unknown],
  ['stale', ({ stale }) => stale],
  ['pending', ({ pending }) => pending],
]

export const resultColumns: CsvColumns<RowOf<typeof listResultsOfCheck>> = [
  ['device_id', ({ device_id: id }) => id],
  ['device', ({ device_name: name }) => name],
  ['result', ({ status }) => status],
  ['ran_at', ({ ran_at: at }) => at],
  ['exemption_reason', ({ exemption_reason: reason }) => reason],
  ['exemption_expires_at', ({ exemption_expires_at: at }) => at],
  ['error', ({ error_message: message }) => message],
  ['rows', ({ rows }) => JSON.stringify(rows)],
]

const requestColumns = [
  ['id', ({ id }) => id],
  ['status', ({ status }) => status],
  ['requested_at', ({ requested_at: at }) => at],
  ['decided_at', ({ decided_at: at }) => at],
  ['person_id', ({ person_id: id }) => id],
  ['person', ({ person_name: name }) => name],
  ['device_id', ({ device_id: id }) => id],
  ['device', ({ device_name: name }) => name],
  ['message', ({ message }) => message],
  ['internal_note', ({ internal_note: note }) => note],
  ['denial_note', ({ denial_note: note }) => note],
] as const satisfies CsvColumns<ExemptionRequestViewRow | RegistrationRequestViewRow>

export const exemptionColumns: CsvColumns<ExemptionRequestViewRow> = [
  ...requestColumns,
  [
    'issues',
    ({ issues }) => issues.map(({ title, issue_value: value }) => [title, value].filter(Boolean).join(': ')).join('\n'),
  ],
]

export const registrationColumns: CsvColumns<RegistrationRequestViewRow> = [
  ...requestColumns,
  ['present_owner_id', ({ owner_id: id }) => id],
  ['present_owner', ({ owner_name: name }) => name],
  ['device_model', ({ hardware_model: model }) => model],
  ['device_serial', ({ serial }) => serial],
  ['ip_address', ({ evidence }) => evidence?.ip_address ?? null],
]

export const deviceGroupColumns: CsvColumns<RowOf<typeof listDeviceGroups>> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['description', ({ description }) => description],
  ['devices', ({ members_count: count }) => count],
  ['created_at', ({ created_at: at }) => at],
]

export const personGroupColumns: CsvColumns<RowOf<typeof listPersonGroupViews>> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['kept_by', ({ is_synced: isSynced }) => (isSynced ? 'identity provider' : 'Muster')],
  ['people', ({ members_count: count }) => count],
]

export const liveQueryColumns: CsvColumns<RowOf<typeof listLiveQueryViews>> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['sql', ({ osquery_sql: sql }) => sql],
  ['started_at', ({ started_at: at }) => at],
  ['answered', ({ successful_devices_count: count }) => count],
  ['waiting', ({ waiting_devices_count: count }) => count],
  ['errors', ({ errored_devices_count: count }) => count],
]

export const deliveryColumns: CsvColumns<RowOf<typeof listDeliveryViews>> = [
  ['id', ({ id }) => id],
  ['message_id', ({ message_id: id }) => id],
  ['event', ({ event }) => event],
  ['device_id', ({ device_id: id }) => id],
  ['device', ({ device_name: name }) => name],
  ['state', ({ state }) => state],
  ['attempts', ({ attempts }) => attempts],
  ['last_status', ({ last_status: status }) => status],
  ['last_error', ({ last_error: error }) => error],
  ['queued_at', ({ queued_at: at }) => at],
  ['settled_at', ({ settled_at: at }) => at],
  ['next_attempt_at', ({ next_attempt_at: at }) => at],
]

export const streamEventColumns: CsvColumns<RowOf<typeof listStreamEventViews>> = [
  ['id', ({ id }) => id],
  ['sequence', ({ sequence }) => sequence],
  ['jti', ({ jti }) => jti],
  ['kind', ({ kind }) => kind],
  ['txn', ({ txn }) => txn],
  ['device_id', ({ device_id: id }) => id],
  ['device', ({ device_name: name }) => name],
  ['user_email', ({ user_email: email }) => email],
  ['state', ({ state }) => state],
  ['attempts', ({ attempts }) => attempts],
  ['error', ({ error_code: code }) => code],
  ['error_description', ({ error_description: description }) => description],
  ['occurred_at', ({ occurred_at: at }) => at],
  ['queued_at', ({ queued_at: at }) => at],
  ['settled_at', ({ settled_at: at }) => at],
]
