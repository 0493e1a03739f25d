import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/** Trust on first use: a person's first device needs no approval, the next ones do until this is reset. */
export async function markFirstTrust(
  tx: Tx,
  organizationId: string,
  personId: string,
  hasUsedFirstTrust: boolean,
): Promise<void> {
  await tx
    .updateTable('people')
    .set({ has_used_first_trust: hasUsedFirstTrust })
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .execute()
}
