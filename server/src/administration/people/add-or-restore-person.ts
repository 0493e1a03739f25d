import { isEmailAddress } from '@muster/contract/email-address.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { addPerson, lockPersonByEmail } from '../../inventory/people/add-person.ts'
import { restorePerson } from '../../inventory/people/restore-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { admitByHand, type ByHand } from './admit-by-hand.ts'

type Wanted = Pick<ByHand, 'requirePower'> & { readonly name: string; readonly email: string }
type Outcome = { readonly id: string; readonly outcome: 'added' | 'restored' | 'known' }

/**
 * Adds a person; whoever had the address before is brought back, under their own name. Fails with invalid for the address, with
 * person_provided for someone whom SCIM has to bring back, and with permission_missing.
 */
export async function addOrRestorePerson(tx: Tx, wanted: Wanted, context: ChangeContext): Promise<Outcome> {
  const { name, email, requirePower } = wanted
  if (!isEmailAddress(email)) fail('invalid', { errors: [{ field: 'email', message: 'must be an e-mail address' }] })
  const { organizationId, now } = context
  const before = await lockPersonByEmail(tx, organizationId, email)
  if (before) {
    if (before.deprovisioned_at === null) return { id: before.id, outcome: 'known' }
    await admitByHand(tx, organizationId, { personId: before.id, requirePower })
    await restorePerson(tx, { personId: before.id }, context)
    return { id: before.id, outcome: 'restored' }
  }
  const id = await addPerson(tx, { organizationId, name, email, now })
  const description = `Added the person "${name}" (${email}).`
  await recordAudit(tx, { action: 'person.created', about: { person: id }, description }, context)
  return { id, outcome: 'added' }
}
