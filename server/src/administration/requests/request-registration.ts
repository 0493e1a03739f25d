import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { listUnmetChecks } from '../../compliance/results/list-unmet-checks.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { findSettings } from '../../inventory/organizations/settings.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { findEnded } from '../registrations/ended-registrations.ts'
import { registerDevice } from '../registrations/register-device.ts'
import { type RegistrationAsked, raiseRegistrationRequest } from './raise-registration-request.ts'

/**
 * What happens when a person says that a device is theirs: their first one is registered at once, which is trust on first
 * use. For any other an administrator is asked, and also for the first one where the organization wants to decide it or
 * requires checks that do not pass, where the device is someone else's or was taken from this person, and where the caller
 * has found that it `needsApproval`. Returns the request's identifier, or undefined when the device is registered. Fails as raiseRegistrationRequest does.
 */
export async function requestRegistration(
  tx: Tx,
  asked: RegistrationAsked & { needsApproval?: boolean },
  context: ChangeContext,
): Promise<string | undefined> {
  const { organizationId } = context
  const { deviceId, personId } = asked
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const person = orNotFound(await lockPerson(tx, organizationId, personId))
  const isOpen = asked.needsApproval !== true && device.registered_owner_id === null
  const isFirst = isOpen && !person.has_used_first_trust
  if (!isFirst || !(await isTrustedOnFirstUse(tx, { organizationId, deviceId, personId }))) {
    return raiseRegistrationRequest(tx, asked, context)
  }
  await registerDevice(tx, { deviceId, personId, isByOwner: true }, context)
  return undefined
}

async function isTrustedOnFirstUse(
  tx: Tx,
  place: { organizationId: string; deviceId: string; personId: string },
): Promise<boolean> {
  const settings = await findSettings(tx, place.organizationId)
  if (!settings.is_first_device_trusted || (await findEnded(tx, place))) return false
  const unmet = await listUnmetChecks(tx, { ...place, checkIds: settings.registration_required_checks })
  return unmet.length === 0
}
