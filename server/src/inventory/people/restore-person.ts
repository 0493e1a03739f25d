import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Restoration = { personId: string }

/**
 * Brings a deprovisioned person back, without registrations: they may trust their next device on first use. Does
 * nothing for someone who is there, or never was, and returns whether it did something.
 */
export async function restorePerson(tx: Tx, restoration: Restoration, context: ChangeContext): Promise<boolean> {
  const { organizationId } = context
  const { personId } = restoration
  const restored = await tx
    .updateTable('people')
    .set({ deprovisioned_at: null, has_used_first_trust: false })
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .where('deprovisioned_at', 'is not', null)
    .returning(['name', 'email'])
    .executeTakeFirst()
  if (!restored) return false
  const description = `Restored "${restored.name}" (${restored.email}).`
  await recordAudit(tx, { action: 'person.restored', about: { person: personId }, description }, context)
  return true
}
