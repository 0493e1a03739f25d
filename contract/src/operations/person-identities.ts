import { PersonIdentities } from '../person-identities.ts'
import { defineOperations, json, session } from './define-operations.ts'

export const personIdentityOperations = defineOperations({
  listPersonIdentities: json({
    method: 'GET',
    path: '/views/people/:id/identities',
    permission: 'read',
    summary: 'List the accounts at identity providers that are a person’s',
    tag: 'Console',
    answer: PersonIdentities,
  }),
  forgetPersonIdentities: session({
    method: 'POST',
    path: '/session/people/:id/forget_identities',
    summary: 'Forget the accounts at identity providers that are a person’s',
    requires: 'manage_sign_in',
    needsFreshProof: true,
  }),
})
