import type { Tx } from '../../base/db/transact.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'

export type NewPersonGroup = {
  organizationId: string
  name: string
  actor: Actor
  now: string
}

/** Makes a person group without members. Returns its identifier. */
export async function createPersonGroup(tx: Tx, group: NewPersonGroup): Promise<string> {
  const { organizationId, name, actor, now } = group
  const { id } = await tx
    .insertInto('person_groups')
    .values({ organization_id: organizationId, name, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { person_group: id },
    description: `Created the person group "${name}".`,
    now,
  })
  return id
}
