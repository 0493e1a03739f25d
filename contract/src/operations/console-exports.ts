import { checkResultSearch } from '../check-results.ts'
import { CheckViewFilter } from '../console-checks.ts'
import { DeliveryViewFilter, StreamEventFilter } from '../console-developers.ts'
import { PersonGroupViewFilter } from '../console-groups.ts'
import { IssueViewFilter, RequestViewFilter } from '../console-issues.ts'
import { LiveQueryViewFilter } from '../console-queries.ts'
import { AuditViewFilter, PersonViewFilter, RowCount, SignInViewFilter } from '../console-records.ts'
import { DeviceViewFilter } from '../console-views.ts'
import { deviceGroupSearch } from '../groups.ts'
import { csv, defineOperations, file, json } from './define-operations.ts'

export const exportOperations = defineOperations({
  exportDevices: file({
    path: '/views/exports/devices',
    permission: 'read',
    summary: 'Export the devices that match a filter',
    tag: 'Console',
    options: DeviceViewFilter,
    file: csv,
  }),
  exportPeople: file({
    path: '/views/exports/people',
    permission: 'read',
    summary: 'Export the people who match a filter',
    tag: 'Console',
    options: PersonViewFilter,
    file: csv,
  }),
  exportIssues: file({
    path: '/views/exports/issues',
    permission: 'read',
    summary: 'Export the issues that match a filter',
    tag: 'Console',
    options: IssueViewFilter,
    file: csv,
  }),
  exportSignIns: file({
    path: '/views/exports/sign_ins',
    permission: 'read',
    summary: 'Export the sign-ins that match a filter',
    tag: 'Console',
    options: SignInViewFilter,
    file: csv,
  }),
  exportAuditLogs: file({
    path: '/views/exports/audit_logs',
    permission: 'read',
    summary: 'Export the entries of the audit log that match a filter',
    tag: 'Console',
    options: AuditViewFilter,
    file: csv,
  }),
  countIssueViews: json({
    method: 'GET',
    path: '/views/issue_count',
    permission: 'read',
    summary: 'Count the issues that match a filter',
    tag: 'Console',
    query: IssueViewFilter,
    answer: RowCount,
  }),
  exportLiveQueries: file({
    path: '/views/exports/live_queries',
    permission: 'read',
    feature: 'live_query',
    summary: 'Export the live queries that match a filter',
    tag: 'Console',
    options: LiveQueryViewFilter,
    file: csv,
  }),
  exportChecks: file({
    path: '/views/exports/checks',
    permission: 'read',
    summary: 'Export the checks that match a filter',
    tag: 'Console',
    options: CheckViewFilter,
    file: csv,
  }),
  exportCheckResults: file({
    path: '/views/exports/checks/:checkId/results',
    permission: 'read',
    summary: 'Export the results of a check',
    tag: 'Console',
    search: checkResultSearch,
    file: csv,
  }),
  exportExemptionRequests: file({
    path: '/views/exports/exemption_requests',
    permission: 'read',
    summary: 'Export the requests for exemption that match a filter',
    tag: 'Console',
    options: RequestViewFilter,
    file: csv,
  }),
  exportRegistrationRequests: file({
    path: '/views/exports/registration_requests',
    permission: 'read',
    summary: 'Export the requests for registration that match a filter',
    tag: 'Console',
    options: RequestViewFilter,
    file: csv,
  }),
  exportDeviceGroups: file({
    path: '/views/exports/device_groups',
    permission: 'read',
    summary: 'Export the device groups that match a search',
    tag: 'Console',
    search: deviceGroupSearch,
    file: csv,
  }),
  exportPersonGroups: file({
    path: '/views/exports/person_groups',
    permission: 'read',
    summary: 'Export the person groups that match a filter',
    tag: 'Console',
    options: PersonGroupViewFilter,
    file: csv,
  }),
  exportDeliveries: file({
    path: '/views/exports/webhooks/:endpointId/deliveries',
    permission: 'manage_webhooks',
    summary: 'Export the deliveries of a webhook that match a filter',
    tag: 'Console',
    options: DeliveryViewFilter,
    file: csv,
  }),
  exportStreamEvents: file({
    path: '/views/exports/streams/:streamId/events',
    permission: 'manage_ssf_streams',
    feature: 'ssf',
    summary: 'Export the events of a stream that match a filter',
    tag: 'Console',
    textParams: { streamId: 'Identifier of the stream, or its `stream_id`.' },
    options: StreamEventFilter,
    file: csv,
  }),
})
