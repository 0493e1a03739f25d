import { IssueViewFilter } from '@muster/contract/console-issues.ts'
import { AuditViewFilter, PersonViewFilter, RowCount, SignInViewFilter } from '@muster/contract/console-records.ts'
import { DeviceViewFilter } from '@muster/contract/console-views.ts'
import type { FastifyInstance } from 'fastify'
import { csvEndpoint } from '../../http/csv-endpoint.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listAuditViews } from './audit-entries.ts'
import { placeOf } from './chosen-order.ts'
import { developerExportRoutes } from './developer-export-routes.ts'
import { listDeviceViews } from './device-list.ts'
import { refuseNoDay } from './devices-of-day.ts'
import { auditColumns, deviceColumns, issueColumns, personColumns, signInColumns } from './export-columns.ts'
import { countIssueViews, listIssueViews } from './issue-queries.ts'
import { noting } from './note-export.ts'
import { listPersonViews } from './people.ts'
import { recordExportRoutes } from './record-export-routes.ts'
import { listSignInViews } from './sign-ins.ts'

const tag = 'Console'

const idOf = ({ id }: { id: string }): string => id

/** The lists of the console as files, by the same filters, all pages. */
export function exportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    path: '/views/exports/devices',
    operationId: 'exportDevices',
    summary: 'Export the devices that a filter finds',
    tag,
    fileName: ({ as_of }) => (as_of === undefined ? 'devices' : `devices-as-of-${as_of}`),
    options: DeviceViewFilter,
    list: listDeviceViews,
    cursorOf: placeOf,
    begin: (call, filter) => {
      refuseNoDay(filter, call.now)
      return noting('devices', deviceColumns)(call)
    },
  })

  csvEndpoint(scope, {
    path: '/views/exports/people',
    operationId: 'exportPeople',
    summary: 'Export the people that a filter finds',
    tag,
    fileName: 'people',
    options: PersonViewFilter,
    list: listPersonViews,
    cursorOf: idOf,
    begin: noting('people', personColumns),
  })

  csvEndpoint(scope, {
    path: '/views/exports/issues',
    operationId: 'exportIssues',
    summary: 'Export the issues that a filter finds',
    tag,
    fileName: 'issues',
    options: IssueViewFilter,
    order: 'descending',
    list: listIssueViews,
    cursorOf: placeOf,
    begin: noting('issues', issueColumns),
  })

  logExportRoutes(scope)
  recordExportRoutes(scope)
  developerExportRoutes(scope)
}

function logExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    path: '/views/exports/sign_ins',
    operationId: 'exportSignIns',
    summary: 'Export the sign-ins that a filter finds',
    tag,
    fileName: 'sign-ins',
    options: SignInViewFilter,
    order: 'descending',
    list: listSignInViews,
    cursorOf: idOf,
    begin: noting('the sign-in log', signInColumns),
  })

  csvEndpoint(scope, {
    path: '/views/exports/audit_logs',
    operationId: 'exportAuditLogs',
    summary: 'Export the entries of the audit log that a filter finds',
    tag,
    fileName: 'audit-log',
    options: AuditViewFilter,
    order: 'descending',
    list: listAuditViews,
    cursorOf: idOf,
    begin: noting('the audit log', auditColumns),
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/issue_count',
    operationId: 'countIssueViews',
    summary: 'Count the issues that a filter finds',
    tag,
    permission: 'read',
    query: IssueViewFilter,
    answer: RowCount,
    run: ({ db, organizationId, query, now }) => countIssueViews(db, organizationId, query, now),
  })
}
