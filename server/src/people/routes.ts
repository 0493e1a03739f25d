import { PersonGroup, personGroupSearch } from '@muster/contract/groups.ts'
import { DeprovisionedPerson, deprovisionedPersonSearch, Person, personSearch } from '@muster/contract/people.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../errors.ts'
import { presentPersonGroup } from '../groups/present.ts'
import { listGroupsOfPerson, personGroupExists } from '../groups/queries.ts'
import { endpoint } from '../http/endpoint.ts'
import { listEndpoint } from '../http/list-endpoint.ts'
import { presentDeprovisionedPerson, presentPerson } from './present.ts'
import { findPerson, listDeprovisionedPeople, listPeople, listPeopleOfGroup, personExists } from './queries.ts'

const tag = 'People'

export function personRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/people',
    operationId: 'listPeople',
    summary: 'List people',
    tag,
    record: Person,
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
    search: deprovisionedPersonSearch,
    list: listDeprovisionedPeople,
    present: presentDeprovisionedPerson,
  })

  listEndpoint(app, {
    path: '/people/:personId/person_groups',
    operationId: 'listGroupsOfPerson',
    summary: 'List the groups of a person',
    tag,
    record: PersonGroup,
    search: personGroupSearch,
    list: listGroupsOfPerson,
    exists: (reader, organizationId, { personId }) => personExists(reader, organizationId, personId),
    present: presentPersonGroup,
  })

  listEndpoint(app, {
    path: '/person_groups/:personGroupId/people',
    operationId: 'listPeopleOfGroup',
    summary: 'List the people of a group',
    tag: 'Person groups',
    record: Person,
    search: personSearch,
    list: listPeopleOfGroup,
    exists: (reader, organizationId, { personGroupId }) => personGroupExists(reader, organizationId, personGroupId),
    present: presentPerson,
  })
}
