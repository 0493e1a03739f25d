import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { listUnmetChecks } from '../../compliance/results/list-unmet-checks.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { findSettings } from '../../inventory/organizations/settings.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { registerDevice } from '../registrations/register-device.ts'
import { type RegistrationAsked, raiseRegistrationRequest } from './raise-registration-request.ts'

/**
 * What happens when a person says that a device is theirs: their first one is registered at once, which is trust on
 * first use, unless the organization wants to decide that as well or requires checks of it that do not pass; for any other, and for one that is someone else's, an
 * administrator is asked. Returns the request's identifier, or undefined when the device is registered. Fails as
 * raiseRegistrationRequest does.
 */
export async function requestRegistration(
  tx: Tx,
  asked: RegistrationAsked,
  context: ChangeContext,
): Promise<string | undefined> {
  const { organizationId } = context
  const { deviceId, personId } = asked
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const person = orNotFound(await lockPerson(tx, organizationId, personId))
  const settings = await findSettings(tx, organizationId)
  const { is_first_device_trusted: isTrusted, registration_required_checks: checkIds } = settings
  if (!isTrusted || person.has_used_first_trust || device.registered_owner_id !== null) {
    return raiseRegistrationRequest(tx, asked, context)
  }
  const unmet = await listUnmetChecks(tx, { organizationId, deviceId, checkIds })
  if (unmet.length > 0) return raiseRegistrationRequest(tx, asked, context)
  await registerDevice(tx, { deviceId, personId }, context)
  return undefined
}
