import { WhoAmI } from '../organizations.ts'
import { defineOperations, json } from './define-operations.ts'

export const organizationOperations = defineOperations({
  getWhoAmI: json({
    method: 'GET',
    path: '/whoami',
    permission: 'read',
    summary: 'Read the organization of the key',
    tag: 'Organization',
    answer: WhoAmI,
  }),
})
