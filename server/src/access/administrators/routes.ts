import { AdminUser, adminUserSearch } from '@muster/contract/admin-users.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentAdminUser } from './present.ts'
import { findAdminUser, listAdminUsers } from './queries.ts'

const tag = 'Admin users'

export function adminUserRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/admin_users',
    operationId: 'listAdminUsers',
    summary: 'List admin users',
    tag,
    record: AdminUser,
    search: adminUserSearch,
    list: listAdminUsers,
    present: presentAdminUser,
  })

  endpoint(app, {
    method: 'GET',
    path: '/admin_users/:id',
    operationId: 'getAdminUser',
    summary: 'Read an admin user',
    tag,
    permission: 'read',
    answer: AdminUser,
    run: async ({ db, organizationId, params }) =>
      presentAdminUser(orNotFound(await findAdminUser(db, organizationId, params.id))),
  })
}
