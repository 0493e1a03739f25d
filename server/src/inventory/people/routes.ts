import { DeprovisionedPerson, Person, personSearch } from '@muster/contract/people.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentDeprovisionedPerson, presentPerson } from './present.ts'
import { findPerson, listDeprovisionedPeople, listPeople } from './queries.ts'

const tag = 'People'

export function personRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/people',
    operationId: 'listPeople',
    summary: 'List people',
    tag,
    record: Person,
    isSmall: true,
    search: personSearch,
    list: listPeople,
    present: presentPerson,
  })

  endpoint(app, {
    method: 'GET',
    path: '/people/:id',
    operationId: 'getPerson',
    summary: 'Read a person',
    tag,
    permission: 'read',
    answer: Person,
    run: async ({ db, organizationId, params }) =>
      presentPerson(orNotFound(await findPerson(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    path: '/deprovisioned_people',
    operationId: 'listDeprovisionedPeople',
    summary: 'List people whom the identity provider has taken out',
    tag,
    record: DeprovisionedPerson,
    isSmall: true,
    search: personSearch,
    list: listDeprovisionedPeople,
    present: presentDeprovisionedPerson,
  })
}
