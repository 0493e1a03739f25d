import { organizationOperations } from '@muster/contract/operations/organizations.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { findOrganization } from './queries.ts'

export function organizationRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...organizationOperations.getWhoAmI,
    run: async ({ db, organizationId }) => {
      const { id, name } = orNotFound(await findOrganization(db, organizationId))
      return { organization_id: id, organization_name: name }
    },
  })
}
