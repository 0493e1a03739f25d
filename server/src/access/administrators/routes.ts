import { administratorOperations } from '@muster/contract/operations/administrators.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentAdminUser } from './present.ts'
import { findAdminUser, listAdminUsers } from './queries.ts'

export function adminUserRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...administratorOperations.listAdminUsers,
    list: listAdminUsers,
    present: presentAdminUser,
  })

  endpoint(app, {
    ...administratorOperations.getAdminUser,
    run: async ({ db, organizationId, params }) =>
      presentAdminUser(orNotFound(await findAdminUser(db, organizationId, params.id))),
  })
}
