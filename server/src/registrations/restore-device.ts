import { type Actor, recordAudit } from '../audit/record-audit.ts'
import { inOrganization } from '../db/in-organization.ts'
import type { Tx } from '../db/transact.ts'
import { queueAgentNotice } from '../devices/queue-agent-notice.ts'
import { setDeleted } from '../devices/set-deleted.ts'
import type { Happening } from '../devices/settle-auth-state.ts'
import { orNotFound } from '../errors.ts'
import { markFirstTrust } from '../people/mark-first-trust.ts'
import { countDevice } from './mark-deleted.ts'

type Restoration = { organizationId: string; deviceId: string; actor: Actor }

/** Brings a deleted device back with its registration, groups and issues. Fails with not_found once it is purged. */
export async function restoreDevice(tx: Tx, { organizationId, deviceId, actor }: Restoration, { now }: Happening) {
  const device = orNotFound(
    await tx
      .selectFrom('devices')
      .select(['organization_id', 'id', 'name', 'registered_owner_id'])
      .where(inOrganization('devices', organizationId))
      .where('id', '=', deviceId)
      .where('deleted_at', 'is not', null)
      .forUpdate()
      .executeTakeFirst(),
  )
  await setDeleted(tx, device, null)
  if (device.registered_owner_id !== null) await markFirstTrust(tx, organizationId, device.registered_owner_id, true)
  await countDevice(tx, device, 1)
  await queueAgentNotice(tx, organizationId, device.id, now)
  await recordAudit(tx, {
    organizationId,
    actor,
    description: `Restored the deleted device "${device.name}".`,
    now,
  })
}
