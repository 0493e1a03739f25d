import { ownerOperations } from '@muster/contract/operations/console-owners.ts'
import type { FastifyInstance } from 'fastify'
import { previewOwnerRule } from '../../administration/registrations/preview-owner-rule.ts'
import { endpoint } from '../../http/endpoint.ts'

/** Whom devices would come to by the account rule. */
export function ownerRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...ownerOperations.previewOwnerRule,
    run: ({ db, organizationId, query }) => previewOwnerRule(db, organizationId, query.after),
  })
}
