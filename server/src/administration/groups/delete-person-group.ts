import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { leaveAuthenticationGroup } from '../../inventory/devices/leave-authentication-group.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockPersonGroup } from './queries.ts'

type Deletion = { personGroupId: string }

/**
 * Deletes a group. Devices that its members could sign in with are for their other groups from now on, and for their
 * owners alone where it was the last one. Fails with not_found.
 */
export async function deletePersonGroup(tx: Tx, deletion: Deletion, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { personGroupId } = deletion
  const group = orNotFound(await lockPersonGroup(tx, organizationId, personGroupId))
  const closed = await leaveAuthenticationGroup(tx, organizationId, personGroupId)
  await tx
    .deleteFrom('person_groups')
    .where(inOrganization('person_groups', organizationId))
    .where('id', '=', personGroupId)
    .execute()
  const devices = closed === 1 ? '1 device is' : `${closed} devices are`
  const description =
    closed === 0
      ? `Deleted the person group "${group.name}".`
      : `Deleted the person group "${group.name}", after which ${devices} for the owner alone.`
  await recordAudit(
    tx,
    { action: 'person_group.deleted', about: { person_group: personGroupId }, description },
    context,
  )
}
