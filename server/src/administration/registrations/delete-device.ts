import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import type { ChangeContext } from '../../inventory/devices/settle-auth-state.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { markDeleted } from './mark-deleted.ts'

type Deletion = { organizationId: string; deviceId: string; actor: Actor }

/** Deletes a device: at once for everyone, for good after the restore window. Says nothing about compliance. */
export async function deleteDevice(tx: Tx, { organizationId, deviceId, actor }: Deletion, context: ChangeContext) {
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  await markDeleted(tx, device, context)
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { device: deviceId },
    description: `Deleted the device "${device.name}".`,
    now: context.now,
  })
}
