import { personOperations } from '@muster/contract/operations/people.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { presentDeprovisionedPerson, presentPerson } from '../../inventory/people/present.ts'
import { findPerson } from '../../inventory/people/queries.ts'
import { addOrRestorePerson } from './add-or-restore-person.ts'
import { deprovisionByHand } from './deprovision-by-hand.ts'
import { restoreByHand } from './restore-by-hand.ts'

/** The people whom no identity provider provides: administrators and keys add, deprovision and restore them. */
export function managedPersonRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...personOperations.addPerson,
    run: ({ db, body, context, requirePower }) =>
      transact(db, async (tx) => {
        const { id, outcome } = await addOrRestorePerson(tx, { ...body, requirePower }, context)
        if (outcome === 'known') {
          fail('invalid', { errors: [{ field: 'email', message: 'Another person has this address.' }] })
        }
        return { id, is_restored: outcome === 'restored' }
      }),
  })

  endpoint(app, {
    ...personOperations.deprovisionPerson,
    run: ({ db, organizationId, params: { id: personId }, context, links, requirePower }) =>
      transact(db, async (tx) => {
        await deprovisionByHand(tx, { personId, requirePower }, context)
        return presentDeprovisionedPerson(orNotFound(await findPerson(tx, organizationId, personId)), links)
      }),
  })

  endpoint(app, {
    ...personOperations.restorePerson,
    run: ({ db, organizationId, params: { id: personId }, context, requirePower }) =>
      transact(db, async (tx) => {
        await restoreByHand(tx, { personId, requirePower }, context)
        return presentPerson(orNotFound(await findPerson(tx, organizationId, personId)))
      }),
  })
}
