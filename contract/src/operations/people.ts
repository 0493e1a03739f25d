import { DeprovisionedPerson, Person, personSearch } from '../people.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const personOperations = defineOperations({
  listPeople: list({
    path: '/people',
    permission: 'read',
    summary: 'List people',
    tag: 'People',
    search: personSearch,
    record: Person,
  }),
  getPerson: json({
    method: 'GET',
    path: '/people/:id',
    permission: 'read',
    summary: 'Read a person',
    tag: 'People',
    answer: Person,
  }),
  listDeprovisionedPeople: list({
    path: '/deprovisioned_people',
    permission: 'read',
    summary: 'List deprovisioned people',
    tag: 'People',
    search: personSearch,
    record: DeprovisionedPerson,
  }),
})
