import type { RegistrationEvidence } from '@muster/contract/registration-evidence.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import { readMessage } from './decision-rules.ts'
import { describePerson } from './describe-request.ts'
import { findPendingRequest } from './registration-queries.ts'

export type RegistrationAsked = {
  deviceId: string
  personId: string
  message: string
  /** What is known of a request that is made on the page of a sign-in. */
  evidence?: RegistrationEvidence | undefined
}

/**
 * Asks on behalf of a person that a device be registered to them, or that their suspended registration be confirmed,
 * and returns the request's identifier. Fails with not_found, already_registered, already_requested, or invalid for the
 * message.
 */
export async function raiseRegistrationRequest(
  tx: Tx,
  asked: RegistrationAsked,
  context: ChangeContext,
): Promise<string> {
  const { organizationId } = context
  const { deviceId, personId } = asked
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const person = orNotFound(await lockPerson(tx, organizationId, personId))
  const isTheirs = device.registered_owner_id === personId && device.registration_suspended_at === null
  if (isTheirs) fail('already_registered')
  const message = readMessage(asked.message)
  if ('errors' in message) return fail('invalid', { errors: message.errors })
  if (await findPendingRequest(tx, { organizationId, deviceId, personId })) fail('already_requested')
  const { id } = await tx
    .insertInto('registration_requests')
    .values({
      organization_id: organizationId,
      device_id: deviceId,
      person_id: personId,
      requester_message: message.ok,
      requested_at: context.now,
      evidence: asked.evidence ? JSON.stringify(asked.evidence) : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await announce(tx, [
    {
      type: 'requests.registration',
      organizationId,
      deviceId,
      deviceName: device.name,
      requestId: id,
      personId,
      personEmail: person.email,
      message: message.ok,
      cause: context.cause,
      at: context.now,
    },
  ])
  await recordAudit(
    tx,
    {
      action: 'registration_request.created',
      about: { device: deviceId, person: personId },
      description: `Asked for ${describePerson(person)} that the device "${device.name}" be registered to them: "${message.ok}".`,
    },
    context,
  )
  return id
}
