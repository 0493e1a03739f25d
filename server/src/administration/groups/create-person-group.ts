import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

export type NewPersonGroup = { name: string }

/** Makes a person group without members. Returns its identifier. */
export async function createPersonGroup(tx: Tx, group: NewPersonGroup, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  const { name } = group
  const { id } = await tx
    .insertInto('person_groups')
    .values({ organization_id: organizationId, name, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(
    tx,
    { action: 'person_group.created', about: { person_group: id }, description: `Created the person group "${name}".` },
    context,
  )
  return id
}
