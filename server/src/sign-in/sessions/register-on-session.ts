import type { RegistrationEvidence } from '@muster/contract/registration-evidence.ts'
import { confirmRegistration } from '../../administration/registrations/suspend-registration.ts'
import { requestRegistration } from '../../administration/requests/request-registration.ts'
import { findLinkedKey } from '../../agents/companion-keys/companion-of-device.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { recordAuthLogEvent } from '../auth-logs/record-auth-log-event.ts'
import type { Judged } from './judge.ts'
import { refuseManyRequests } from './refuse-many-requests.ts'
import type { SignInSession } from './session-queries.ts'

export type Place = {
  session: SignInSession
  judged: Judged
  organizationId: string
  deviceId: string
  personId: string
  authLogId: string
}

/**
 * What happens when a person says on the page that the device is theirs: it is registered, its suspended registration is
 * confirmed, or an administrator is asked, as the page has offered it. A second press finds it theirs, and does nothing.
 */
export async function register(tx: Tx, place: Place, message: string, context: ChangeContext): Promise<void> {
  const { organizationId, authLogId, deviceId, personId, judged } = place
  const { state } = judged
  // Another page of theirs may have been faster.
  const device = await lockDevice(tx, organizationId, deviceId)
  if (device?.registered_owner_id === personId && device.registration_suspended_at === null) return
  const step = { organizationId, authLogId, now: context.now }
  const ask = (description: string) =>
    recordAuthLogEvent(tx, { ...step, type: 'device_registration_request', description })
  const succeed = (description: string) =>
    recordAuthLogEvent(tx, { ...step, type: 'device_registration_successful', description })
  if (state === 'confirm') {
    await ask('The person says it is still theirs.')
    await confirmRegistration(tx, { deviceId }, context)
    await succeed('Confirmed by its owner, with the key that it had before.')
    return
  }
  if (state !== 'register') await refuseManyRequests(tx, place, context.now)
  await ask('The person says it is theirs.')
  const evidence = await evidenceOf(tx, place)
  const asked = { deviceId, personId, message, evidence, needsApproval: state !== 'register' }
  const requestId = await requestRegistration(tx, asked, context)
  if (requestId === undefined) await succeed('Registered to the person on first use.')
}

async function evidenceOf(
  tx: Tx,
  { session, organizationId, deviceId, authLogId }: Place,
): Promise<RegistrationEvidence> {
  const key = await findLinkedKey(tx, organizationId, deviceId)
  const network = key?.network ?? null
  return {
    sign_in_id: authLogId,
    application: session.application_name,
    vouched_by: session.upstream_name ?? session.application_name,
    ip_address: session.ip_address,
    is_same_network: network === null ? null : network === session.network,
    companion_linked_at: key?.linked_at ?? null,
    people_count: session.people_count,
  }
}
