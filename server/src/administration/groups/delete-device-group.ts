import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { listChecksOfGroup } from '../../compliance/targeting/checks-of-group.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { type DeviceGroupRow, findDeviceGroup, lockDeviceGroup } from './queries.ts'
import { quoteNames } from './quote-names.ts'

type Deletion = { groupId: string }

/**
 * Deletes a group and returns it as it was; its devices stay. Fails with not_found, and with invalid while a check names
 * the group: without it a check that targets it alone would be for every device.
 */
export async function deleteDeviceGroup(tx: Tx, deletion: Deletion, context: ChangeContext): Promise<DeviceGroupRow> {
  const { organizationId, now } = context
  const { groupId } = deletion
  orNotFound(await lockDeviceGroup(tx, organizationId, groupId))
  const group = orNotFound(await findDeviceGroup(tx, organizationId, groupId))
  const checks = await listChecksOfGroup(tx, organizationId, groupId)
  if (checks.length > 0) {
    const [subject, verb] = checks.length === 1 ? ['the check', 'names'] : ['the checks', 'name']
    const message = `${subject} ${quoteNames(checks.map(({ name }) => name))} ${verb} the group: take it out of the configuration first`
    fail('invalid', { errors: [{ field: 'id', message }] })
  }
  await tx
    .deleteFrom('device_groups')
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', groupId)
    .execute()
  // Processes remember which groups devices are in.
  await queueAgentNotice(tx, organizationId, null, now)
  const devices = group.members_count === 1 ? '1 device was' : `${group.members_count} devices were`
  const description = `Deleted the device group "${group.name}", in which ${devices}.`
  await recordAudit(tx, { action: 'device_group.deleted', about: { device_group: groupId }, description }, context)
  return group
}
