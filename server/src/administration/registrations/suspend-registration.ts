import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { setSuspension } from '../../inventory/devices/set-owner.ts'
import { settleAuthState } from '../../inventory/devices/settle-auth-state.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'

/** Suspends the registration of a locked device until its owner or an administrator confirms it. */
export async function suspendRegistration(
  tx: Tx,
  device: LockedDevice,
  reason: string,
  context: ChangeContext,
): Promise<LockedDevice> {
  const { cause, now } = context
  if (device.registration_suspended_at !== null) return device
  const suspended = await setSuspension(tx, device, now)
  await announce(tx, [
    {
      type: 'devices.registration_suspended',
      organizationId: device.organization_id,
      deviceId: device.id,
      deviceName: device.name,
      reason: asSentence(reason),
      cause,
      at: now,
    },
  ])
  await recordAudit(
    tx,
    {
      action: 'device.registration_suspended',
      about: { device: device.id, person: device.registered_owner_id },
      description: `Suspended the registration of the device "${device.name}": ${reason}.`,
    },
    context,
  )
  return suspended
}

const asSentence = (reason: string): string => `${reason[0]?.toUpperCase() ?? ''}${reason.slice(1)}.`

/** Ends the doubt: the device is the owner's after all. Fails with device_not_registered. */
export async function confirmRegistration(
  tx: Tx,
  { deviceId }: { deviceId: string },
  context: ChangeContext,
): Promise<void> {
  const { organizationId } = context
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  if (device.registered_owner_id === null) fail('device_not_registered')
  if (device.registration_suspended_at === null) return
  await settleAuthState(tx, await setSuspension(tx, device, null), context)
  await recordAudit(
    tx,
    {
      action: 'device.registration_confirmed',
      about: { device: deviceId, person: device.registered_owner_id },
      description: `Confirmed the registration of the device "${device.name}".`,
    },
    context,
  )
}
