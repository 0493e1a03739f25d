import { recordViewOperations } from '@muster/contract/operations/console-records.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { countAuditViews, findAuditView, listAuditViews, presentAuditView } from './audit-entries.ts'
import { countPersonViews, listPersonViews } from './people.ts'
import { countSignInViews, listSignInViews, presentSignInView } from './sign-ins.ts'

/** People and the logs of what was done, each list with its count. */
export function recordViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...recordViewOperations.listPersonViews,
    list: listPersonViews,
    present: (row) => row,
    isSmall: true,
  })

  endpoint(scope, {
    ...recordViewOperations.countPersonViews,
    run: ({ db, organizationId, query }) => countPersonViews(db, organizationId, query),
  })

  listEndpoint(scope, {
    ...recordViewOperations.listSignInViews,
    order: 'descending',
    list: listSignInViews,
    present: presentSignInView,
    isSmall: true,
  })

  endpoint(scope, {
    ...recordViewOperations.countSignInViews,
    run: ({ db, organizationId, query, now }) => countSignInViews(db, organizationId, query, now),
  })

  auditViewRoutes(scope)
}

function auditViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...recordViewOperations.listAuditViews,
    order: 'descending',
    list: listAuditViews,
    present: presentAuditView,
  })

  endpoint(scope, {
    ...recordViewOperations.countAuditViews,
    run: ({ db, organizationId, query, now }) => countAuditViews(db, organizationId, query, now),
  })

  endpoint(scope, {
    ...recordViewOperations.getAuditView,
    run: async ({ db, organizationId, params }) =>
      presentAuditView(orNotFound(await findAuditView(db, organizationId, params.id))),
  })
}
