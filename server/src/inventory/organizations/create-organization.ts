import { type Actor, newChange } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type NewOrganization = { name: string; actor: Actor; now: string }

export async function createOrganization(tx: Tx, { name, actor, now }: NewOrganization): Promise<{ id: string }> {
  const { id } = await tx
    .insertInto('organizations')
    .values({ name, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(
    tx,
    { action: 'organization.created', about: { organization: id }, description: `Created the organization "${name}".` },
    newChange(actor, id, now),
  )
  return { id }
}
