import { personOperations } from '@muster/contract/operations/people.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentDeprovisionedPerson, presentPerson } from './present.ts'
import { findPerson, listDeprovisionedPeople, listPeople } from './queries.ts'

export function personRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...personOperations.listPeople,
    isSmall: true,
    list: listPeople,
    present: presentPerson,
  })

  endpoint(app, {
    ...personOperations.getPerson,
    run: async ({ db, organizationId, params }) =>
      presentPerson(orNotFound(await findPerson(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    ...personOperations.listDeprovisionedPeople,
    isSmall: true,
    list: listDeprovisionedPeople,
    present: presentDeprovisionedPerson,
  })
}
