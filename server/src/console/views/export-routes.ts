import { exportOperations } from '@muster/contract/operations/console-exports.ts'
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

const idOf = ({ id }: { id: string }): string => id

/** The lists of the console as files, by the same filters, all pages. */
export function exportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    ...exportOperations.exportDevices,
    fileName: ({ as_of }) => (as_of === undefined ? 'devices' : `devices-as-of-${as_of}`),
    list: listDeviceViews,
    cursorOf: placeOf,
    begin: (call, filter) => {
      refuseNoDay(filter, call.now)
      return noting('devices', deviceColumns)(call)
    },
  })

  csvEndpoint(scope, {
    ...exportOperations.exportPeople,
    fileName: 'people',
    list: listPersonViews,
    cursorOf: idOf,
    begin: noting('people', personColumns),
  })

  csvEndpoint(scope, {
    ...exportOperations.exportIssues,
    fileName: 'issues',
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
    ...exportOperations.exportSignIns,
    fileName: 'sign-ins',
    order: 'descending',
    list: listSignInViews,
    cursorOf: idOf,
    begin: noting('the sign-in log', signInColumns),
  })

  csvEndpoint(scope, {
    ...exportOperations.exportAuditLogs,
    fileName: 'audit-log',
    order: 'descending',
    list: listAuditViews,
    cursorOf: idOf,
    begin: noting('the audit log', auditColumns),
  })

  endpoint(scope, {
    ...exportOperations.countIssueViews,
    run: ({ db, organizationId, query, now }) => countIssueViews(db, organizationId, query, now),
  })
}
