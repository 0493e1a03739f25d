import { ownerOperations } from '@muster/contract/operations/console-owners.ts'
import type { FastifyInstance } from 'fastify'
import { previewOwnerRule } from '../../administration/registrations/preview-owner-rule.ts'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { addOrRestorePerson } from '../../inventory/people/add-or-restore-person.ts'

/** Whom devices would come to by a rule, and who else can own them. */
export function ownerRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...ownerOperations.previewOwnerRule,
    run: ({ db, organizationId, query }) => previewOwnerRule(db, organizationId, query.after),
  })

  endpoint(scope, {
    ...ownerOperations.addPerson,
    run: ({ db, body, context }) =>
      transact(db, async (tx) => {
        const { id, outcome } = await addOrRestorePerson(tx, body, context)
        if (outcome === 'known') {
          fail('invalid', { errors: [{ field: 'email', message: 'somebody has this address already' }] })
        }
        return { id, is_restored: outcome === 'restored' }
      }),
  })
}
