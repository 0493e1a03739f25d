import { OwnerRulePreview, OwnerRuleQuery } from '../owner-lists.ts'
import { defineOperations, json } from './define-operations.ts'

export const ownerOperations = defineOperations({
  previewOwnerRule: json({
    method: 'GET',
    path: '/views/owner_rule_preview',
    permission: 'read',
    summary: 'Preview which devices the account rule would assign to whom',
    tag: 'Console',
    query: OwnerRuleQuery,
    answer: OwnerRulePreview,
  }),
})
