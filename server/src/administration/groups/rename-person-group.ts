import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { lockPersonGroup } from './queries.ts'

type Renaming = {
  organizationId: string
  personGroupId: string
  name: string
  actor: Actor
  now: string
}

/** Does nothing where the group has that name already. Fails with not_found. */
export async function renamePersonGroup(tx: Tx, renaming: Renaming): Promise<void> {
  const { organizationId, personGroupId, name, actor, now } = renaming
  const group = orNotFound(await lockPersonGroup(tx, organizationId, personGroupId))
  if (group.name === name) return
  await tx
    .updateTable('person_groups')
    .set({ name })
    .where(inOrganization('person_groups', organizationId))
    .where('id', '=', personGroupId)
    .execute()
  const description = `Renamed the person group "${group.name}" to "${name}".`
  await recordAudit(tx, { organizationId, actor, about: { person_group: personGroupId }, description, now })
}
