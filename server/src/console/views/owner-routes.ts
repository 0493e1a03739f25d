import { ownerOperations } from '@muster/contract/operations/console-owners.ts'
import type { FastifyInstance } from 'fastify'
import { assignOwners } from '../../administration/registrations/assign-owners.ts'
import { ownerListTurns } from '../../administration/registrations/owner-list-turns.ts'
import { previewOwnerList } from '../../administration/registrations/preview-owner-list.ts'
import { previewOwnerRule } from '../../administration/registrations/preview-owner-rule.ts'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { addOrRestorePerson } from '../../inventory/people/add-or-restore-person.ts'

/** How devices come to owners: one by one, by a list or by a rule, each previewed before it acts. */
export function ownerRoutes(scope: FastifyInstance): void {
  const turns = ownerListTurns()

  endpoint(scope, {
    ...ownerOperations.registerDevices,
    run: ({ db, body, context, requirePower }) => {
      const registrations = body.registrations.map((one) => ({
        deviceId: identifierOf(one.device_id),
        personId: identifierOf(one.person_id),
      }))
      return assignOwners(db, { registrations, requirePower }, context)
    },
  })

  endpoint(scope, {
    ...ownerOperations.previewOwnerList,
    run: async ({ db, organizationId, body, abandoned }) => {
      const signal = abandoned()
      const caller = { organizationId, isGone: () => signal.aborted }
      return await turns.take(caller, () => previewOwnerList(db, organizationId, body.csv))
    },
  })

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
