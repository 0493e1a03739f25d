import { recordViewOperations } from '@muster/contract/operations/console-records.ts'
import type { FastifyInstance } from 'fastify'
import { findPersonDetail } from '../../administration/people/queries.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { countMovedDevices, listMovedDevices } from '../../signals/events/moved-devices.ts'
import { countAuditViews, findAuditView, listAuditViews, presentAuditView } from './audit-entries.ts'
import { auditColumns, personColumns, signInColumns } from './export-columns.ts'
import { csvOf } from './note-export.ts'
import { countPersonViews, listPersonViews } from './people.ts'
import { countSignInViews, listSignInViews, presentSignInView } from './sign-ins.ts'

/** People and the logs of what was done, each list with its count. */
export function recordViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...recordViewOperations.listPersonViews,
    list: listPersonViews,
    present: (row) => row,
    isSmall: true,
    count: countPersonViews,
    csv: csvOf('people', personColumns),
  })

  endpoint(scope, {
    ...recordViewOperations.getPersonView,
    run: async ({ db, organizationId, params }) => {
      const { administrator_id: administratorId, ...detail } = orNotFound(
        await findPersonDetail(db, organizationId, params.id),
      )
      return { ...detail, is_administrator: administratorId !== null }
    },
  })

  listEndpoint(scope, {
    ...recordViewOperations.listSignInViews,
    order: 'descending',
    list: listSignInViews,
    present: presentSignInView,
    isSmall: true,
    count: countSignInViews,
    csv: csvOf('sign-ins', signInColumns, 'the sign-in log'),
  })

  auditViewRoutes(scope)
}

function auditViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...recordViewOperations.listAuditViews,
    order: 'descending',
    list: listAuditViews,
    present: presentAuditView,
    count: countAuditViews,
    csv: csvOf('audit-log', auditColumns, 'the audit log'),
  })

  listEndpoint(scope, {
    ...recordViewOperations.listMovedDevices,
    order: 'descending',
    list: listMovedDevices,
    present: (row) => row,
    isSmall: true,
    exists: async (reader, organizationId, { entryId }) =>
      (await findAuditView(reader, organizationId, entryId)) !== undefined,
    count: (db, organizationId, _options, _now, { entryId }) => countMovedDevices(db, organizationId, entryId),
  })

  endpoint(scope, {
    ...recordViewOperations.getAuditView,
    run: async ({ db, organizationId, params }) =>
      presentAuditView(orNotFound(await findAuditView(db, organizationId, params.id))),
  })
}
