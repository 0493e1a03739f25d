import { type Actor, recordAudit } from '../audit/record-audit.ts'
import type { Tx } from '../db/transact.ts'
import { lockDevice } from '../devices/lock-device.ts'
import type { Happening } from '../devices/settle-auth-state.ts'
import { orNotFound } from '../errors.ts'
import { markDeleted } from './mark-deleted.ts'

type Deletion = { organizationId: string; deviceId: string; actor: Actor }

/** Deletes a device: at once for everybody, for good after the restore window. Says nothing about compliance. */
export async function deleteDevice(tx: Tx, { organizationId, deviceId, actor }: Deletion, happening: Happening) {
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  await markDeleted(tx, device, happening)
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { device: deviceId },
    description: `Deleted the device "${device.name}".`,
    now: happening.now,
  })
}
