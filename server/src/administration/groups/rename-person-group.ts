import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockPersonGroup } from './queries.ts'

type Renaming = { personGroupId: string; name: string }

/** Does nothing where the group has that name already. Fails with not_found. */
export async function renamePersonGroup(tx: Tx, renaming: Renaming, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { personGroupId, name } = renaming
  const group = orNotFound(await lockPersonGroup(tx, organizationId, personGroupId))
  if (group.name === name) return
  await tx
    .updateTable('person_groups')
    .set({ name })
    .where(inOrganization('person_groups', organizationId))
    .where('id', '=', personGroupId)
    .execute()
  const changes = [{ field: 'name', from: group.name, to: name }]
  const description = `Renamed the person group "${group.name}" to "${name}".`
  await recordAudit(
    tx,
    { action: 'person_group.updated', about: { person_group: personGroupId }, description, changes },
    context,
  )
}
