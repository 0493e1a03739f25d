import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { clearOwner } from '../../inventory/devices/set-owner.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { rememberEnded } from './ended-registrations.ts'
import { markDeleted } from './mark-deleted.ts'
import { resetTrustOfLast } from './reset-trust.ts'

type Unregistration = { deviceId: string }
export type EndedRegistration = {
  device_id: string
  device_name: string
  registered_at: string
  registered_owner_id: string
}

/**
 * Ends a device's registration and returns what it was. Where it was the person's only one, they may register
 * another device without approval, unless they ended it themselves: this one they have to ask for. One that was suspended is
 * suspended again if it comes back to them. A phone or tablet is deleted along with it.
 * Fails with device_not_registered.
 */
export async function unregisterDevice(
  tx: Tx,
  { deviceId }: Unregistration,
  context: ChangeContext,
): Promise<EndedRegistration> {
  const { organizationId, actor } = context
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const { registered_owner_id: ownerId, registered_at: registeredAt } = device
  if (ownerId === null || registeredAt === null) return fail('device_not_registered')
  const free = await clearOwner(tx, device)
  if (actor.type !== 'Person') await resetTrustOfLast(tx, device, ownerId)
  const suspendedAt = device.registration_suspended_at
  await rememberEnded(tx, { deviceId, personId: ownerId, suspendedAt }, context)
  await reconcileDevices(tx, [free], { deadlines: 'all' }, context)
  const owner = await tx
    .selectFrom('people')
    .select('name')
    .where(inOrganization('people', organizationId))
    .where('id', '=', ownerId)
    .executeTakeFirst()
  const goesToo = device.device_type === 'iOS' || device.device_type === 'Android'
  if (goesToo) await markDeleted(tx, free, context)
  await recordAudit(
    tx,
    {
      action: 'device.unregistered',
      about: { device: deviceId, person: ownerId },
      description: `Ended the registration of the device "${device.name}" to "${owner?.name ?? ''}"${goesToo ? ' and deleted the device' : ''}.`,
    },
    context,
  )
  return {
    device_id: device.id,
    device_name: device.name,
    registered_at: registeredAt,
    registered_owner_id: ownerId,
  }
}
