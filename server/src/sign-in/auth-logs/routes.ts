import { authLogOperations } from '@muster/contract/operations/auth-logs.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentAuthLog } from './present.ts'
import { findAuthLog, listAuthLogs } from './queries.ts'

export function authLogRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...authLogOperations.listAuthLogs,
    order: 'descending',
    list: listAuthLogs,
    present: presentAuthLog,
  })

  endpoint(app, {
    ...authLogOperations.getAuthLog,
    run: async ({ db, organizationId, params, links }) =>
      presentAuthLog(orNotFound(await findAuthLog(db, organizationId, params.id)), links),
  })
}
