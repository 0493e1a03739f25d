import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/**
 * Locks a person of the organization until the transaction ends and returns who they are; undefined once they are
 * deprovisioned. Devices are locked before their owner.
 */
export async function lockPerson(tx: Tx, organizationId: string, personId: string) {
  const [person] = await lockPeople(tx, organizationId, [personId])
  return person
}

/** The same for several, in the order of their identifiers, so that two devices which swap owners do not deadlock. */
export const lockPeople = (tx: Tx, organizationId: string, personIds: readonly string[]) =>
  tx
    .selectFrom('people')
    .select(['id', 'name', 'email', 'has_used_first_trust'])
    .where(inOrganization('people', organizationId))
    .where('id', 'in', personIds)
    .where('deprovisioned_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
