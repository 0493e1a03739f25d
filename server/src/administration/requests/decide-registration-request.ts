import type { RegistrationRequestDecision } from '@muster/contract/registration-requests.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { registerDevice } from '../registrations/register-device.ts'
import { confirmRegistration } from '../registrations/suspend-registration.ts'
import { readRegistrationDecision } from './decision-rules.ts'
import { aboutRequest, describeReason, describeRegistrationRequest } from './describe-request.ts'
import { lockRegistrationRequest, refuseUnlessWaiting } from './lock-request.ts'
import { setRegistrationStatus } from './set-registration-status.ts'

type Deciding = { requestId: string; decision: RegistrationRequestDecision }

/**
 * Approves or denies a pending registration request. Approved: the device is registered to the requester, no matter who had
 * it before; where it is theirs but suspended, the registration is confirmed. Fails with not_found, invalid,
 * request_decided or request_withdrawn.
 */
export async function decideRegistrationRequest(tx: Tx, deciding: Deciding, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { requestId } = deciding
  const subject = await lockRegistrationRequest(tx, organizationId, requestId)
  const reading = readRegistrationDecision(deciding.decision)
  if ('errors' in reading) return fail('invalid', { errors: reading.errors })
  refuseUnlessWaiting(subject.request, subject.requester)
  const { ok: decision } = reading
  const isApproved = decision.status === 'approved'
  await setRegistrationStatus(tx, { organizationId, requestId }, decision, context.now)
  if (isApproved) {
    const { device, requester } = subject
    const registration = { deviceId: device.id, personId: requester.id, isDecided: true } as const
    const isTheirs = device.registered_owner_id === requester.id
    await (isTheirs ? confirmRegistration : registerDevice)(tx, registration, context)
  }
  const reason = describeReason(decision.internalMessage)
  const description = `${isApproved ? 'Approved' : 'Denied'} ${describeRegistrationRequest(subject)}${reason}`
  await recordAudit(
    tx,
    {
      action: isApproved ? 'registration_request.approved' : 'registration_request.denied',
      about: aboutRequest(subject),
      description,
    },
    context,
  )
}
