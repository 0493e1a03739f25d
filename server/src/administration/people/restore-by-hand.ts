import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { restorePerson } from '../../inventory/people/restore-person.ts'
import { admitByHand, type ByHand } from './admit-by-hand.ts'

/**
 * Restores a person because an administrator or a key says so; false where they are there already. Fails with not_found, with
 * person_provided and with permission_missing.
 */
export async function restoreByHand(tx: Tx, asked: ByHand, context: ChangeContext): Promise<boolean> {
  const { organizationId } = context
  const { personId } = asked
  const person = orNotFound(await lockAny(tx, organizationId, personId))
  if (person.deprovisioned_at === null) return false
  await admitByHand(tx, organizationId, asked)
  return restorePerson(tx, { personId }, context)
}

const lockAny = (tx: Tx, organizationId: string, personId: string) =>
  tx
    .selectFrom('people')
    .select('deprovisioned_at')
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .forNoKeyUpdate()
    .executeTakeFirst()
