import { WhoAmI } from '@muster/contract/organizations.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { findOrganization } from './queries.ts'

export function organizationRoutes(app: FastifyInstance): void {
  endpoint(app, {
    method: 'GET',
    path: '/whoami',
    operationId: 'getWhoAmI',
    summary: 'Read the organization of the key',
    tag: 'Organization',
    permission: 'read',
    answer: WhoAmI,
    run: async ({ db, organizationId }) => {
      const { id, name } = orNotFound(await findOrganization(db, organizationId))
      return { organization_id: id, organization_name: name }
    },
  })
}
