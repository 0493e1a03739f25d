import { AuthLog, authLogSearch } from '@muster/contract/auth-logs.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentAuthLog } from './present.ts'
import { findAuthLog, listAuthLogs } from './queries.ts'

const tag = 'Auth logs'

export function authLogRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/auth_logs',
    operationId: 'listAuthLogs',
    summary: 'List auth logs, newest first',
    tag,
    record: AuthLog,
    search: authLogSearch,
    order: 'descending',
    list: listAuthLogs,
    present: presentAuthLog,
  })

  endpoint(app, {
    method: 'GET',
    path: '/auth_logs/:id',
    operationId: 'getAuthLog',
    summary: 'Read an auth log',
    tag,
    permission: 'read',
    answer: AuthLog,
    run: async ({ db, organizationId, params, links }) =>
      presentAuthLog(orNotFound(await findAuthLog(db, organizationId, params.id)), links),
  })
}
