import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { markDeleted } from './mark-deleted.ts'

type Deletion = { deviceId: string }

/** Deletes a device: at once for everyone, for good after the restore window. Says nothing about compliance. */
export async function deleteDevice(tx: Tx, { deviceId }: Deletion, context: ChangeContext) {
  const { organizationId } = context
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  await markDeleted(tx, device, context)
  await recordAudit(
    tx,
    { action: 'device.deleted', about: { device: deviceId }, description: `Deleted the device "${device.name}".` },
    context,
  )
}
