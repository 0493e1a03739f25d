import { AddedPerson, DeprovisionedPerson, Person, PersonCreation, personSearch } from '../people.ts'
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
  addPerson: json({
    method: 'POST',
    path: '/people',
    permission: 'manage_people',
    summary: 'Add a person',
    description:
      'Someone who was deprovisioned and has this address is restored instead, under their name of then, unless SCIM provides them (`person_provided`). An address that another person has is refused.',
    tag: 'People',
    body: PersonCreation,
    answer: AddedPerson,
  }),
  deprovisionPerson: json({
    method: 'DELETE',
    path: '/people/:id',
    permission: 'manage_people',
    inConsole: { needsFreshProof: true },
    summary: 'Deprovision a person',
    description:
      'The person can no longer sign in with a device. The registrations of their devices end, for which a person who has devices needs Remove Devices as well. Phones and tablets are deleted with their registration; other devices stay without an owner, with their results and issues. Restoring the person undoes this, but does not bring registrations back. Someone whom SCIM provides is refused (`person_provided`), and to API keys whoever has the e-mail address of an administrator (`permission_missing`): they are signed out of the console as well.',
    tag: 'People',
    answer: DeprovisionedPerson,
  }),
  restorePerson: json({
    method: 'POST',
    path: '/deprovisioned_people/:id/restore',
    permission: 'manage_people',
    inConsole: { needsFreshProof: true },
    summary: 'Restore a deprovisioned person',
    description:
      'The person is back with their groups and without registrations; their next device is trusted on first use. Nothing changes for someone who is not deprovisioned. Someone whom SCIM provides is refused (`person_provided`), and to API keys whoever has the e-mail address of an administrator (`permission_missing`).',
    tag: 'People',
    answer: Person,
  }),
})
