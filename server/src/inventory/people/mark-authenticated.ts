import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/** Notes that a person signed in. */
export async function markPersonAuthenticated(tx: Tx, organizationId: string, personId: string, now: string) {
  await tx
    .updateTable('people')
    .set({ last_authenticated_at: now })
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .where((person) =>
      person.or([person('last_authenticated_at', 'is', null), person('last_authenticated_at', '<', now)]),
    )
    .execute()
}
