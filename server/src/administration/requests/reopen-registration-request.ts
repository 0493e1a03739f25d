import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { aboutRequest, describeRegistrationRequest } from './describe-request.ts'
import { lockRegistrationRequest, refuseLeaver } from './lock-request.ts'
import { findPendingRequest } from './registration-queries.ts'
import { setRegistrationStatus } from './set-registration-status.ts'

type Reopening = { requestId: string }

/**
 * Opens a denied registration request again; a pending one stays as it is. Fails with not_found, with request_decided
 * for an approved one, whose registration is ended instead, with already_requested where the requester has asked for
 * the device again, and with request_withdrawn where they took it back or have left.
 */
export async function reopenRegistrationRequest(tx: Tx, reopening: Reopening, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { requestId } = reopening
  const subject = await lockRegistrationRequest(tx, organizationId, requestId)
  const { request, requester } = subject
  if (request.status === 'pending') return
  if (request.status === 'approved') fail('request_decided')
  if (request.withdrawn_at !== null) fail('request_withdrawn')
  refuseLeaver(requester)
  const pair = { organizationId, deviceId: request.device_id, personId: request.person_id }
  if (await findPendingRequest(tx, pair)) fail('already_requested')
  await setRegistrationStatus(tx, { organizationId, requestId }, { status: 'pending' }, now)
  const description = `Reopened ${describeRegistrationRequest(subject)}, which was denied.`
  await recordAudit(tx, { action: 'registration_request.reopened', about: aboutRequest(subject), description }, context)
}
