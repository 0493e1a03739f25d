import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/** Takes a person out of the organization and returns them; undefined if they were out already, or never in. */
export const markDeprovisioned = (tx: Tx, organizationId: string, personId: string, now: string) =>
  tx
    .updateTable('people')
    .set({ deprovisioned_at: now })
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .where('deprovisioned_at', 'is', null)
    .returning(['id', 'name', 'email'])
    .executeTakeFirst()
