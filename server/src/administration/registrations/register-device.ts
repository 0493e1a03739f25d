import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { clearOwner, setOwner } from '../../inventory/devices/set-owner.ts'
import { lockPeople } from '../../inventory/people/lock-person.ts'
import { markFirstTrust } from '../../inventory/people/mark-first-trust.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import { forgetEnded, rememberEnded } from './ended-registrations.ts'
import { recordManyRegistrations } from './record-many-registrations.ts'
import { resetTrustOfLast } from './reset-trust.ts'
import { suspendRegistration } from './suspend-registration.ts'

type Registration = {
  deviceId: string
  personId: string
  /** Where nobody else had a say: with an enrollment secret issued for the person, or on first use at a sign-in. */
  isByOwner?: true
  /** By whoever may decide about a suspension: one that outlived an earlier registration ends. */
  isDecided?: true
  /** Ends the sentence of the audit log, where nobody decided it. */
  reason?: string
}

/**
 * Registers a device to a person, whose it then is alone. Its open issues get their blocking moments counted from
 * now, and its compliance is signalled from here on. Nothing changes where the device is theirs already: nobody gains
 * time by registering again. Fails with not_found for a device or person that the organization does not have.
 */
export async function registerDevice(tx: Tx, registration: Registration, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { deviceId, personId, isByOwner = false } = registration
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const people = await lockPeople(tx, organizationId, [personId, device.registered_owner_id ?? personId])
  const person = orNotFound(people.find(({ id }) => id === personId))
  if (device.registered_owner_id === personId) return
  const free = await withoutOwner(tx, device, context)
  const registered = await setOwner(tx, free, { personId, isByOwner }, context.now)
  await markFirstTrust(tx, organizationId, personId, true)
  const ended = await forgetEnded(tx, { organizationId, deviceId, personId })
  await announce(tx, [
    {
      type: 'devices.registered',
      organizationId,
      deviceId,
      deviceName: device.name,
      cause: context.cause,
      at: context.now,
    },
  ])
  await recordAudit(
    tx,
    {
      action: 'device.registered',
      about: { device: deviceId, person: personId },
      description: `Registered the device "${device.name}" to "${person.name}" (${person.email})${registration.reason === undefined ? '' : `: ${registration.reason}`}.`,
    },
    context,
  )
  const isInDoubt = !registration.isDecided && (ended?.suspended_at ?? null) !== null
  const owned = isInDoubt ? await suspendRegistration(tx, registered, stillSuspended, context) : registered
  await reconcileDevices(tx, [owned], { deadlines: 'all' }, context)
  if (isByOwner) await recordManyRegistrations(tx, person, context)
}

const stillSuspended = 'it was suspended when it last ended, and nobody has confirmed it since'

async function withoutOwner(tx: Tx, device: LockedDevice, context: ChangeContext): Promise<LockedDevice> {
  const { id: deviceId, registered_owner_id: personId } = device
  if (personId === null) return device
  const free = await clearOwner(tx, device)
  await resetTrustOfLast(tx, device, personId)
  // Who takes a suspended one from its owner has decided about it.
  await rememberEnded(tx, { deviceId, personId, suspendedAt: null }, context)
  return free
}
