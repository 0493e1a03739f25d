import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/**
 * Locks a person of the organization until the transaction ends and returns who they are; undefined once they are
 * deprovisioned. Devices are locked before their owner.
 */
export const lockPerson = (tx: Tx, organizationId: string, personId: string) =>
  tx
    .selectFrom('people')
    .select(['id', 'name', 'email', 'has_used_first_trust'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .where('deprovisioned_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
