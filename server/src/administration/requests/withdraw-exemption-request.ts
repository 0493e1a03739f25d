import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { aboutRequest, describeExemptionRequest } from './describe-request.ts'
import { lockExemptionRequest, refuseUnlessWaiting } from './lock-request.ts'
import { setExemptionStatus } from './set-exemption-status.ts'

type Withdrawal = {
  requestId: string
  /** Who made the request. */
  personId: string
}

/**
 * Takes an open exemption request back. Fails with not_found for another person's request, and with request_decided or
 * request_withdrawn once it is open no more.
 */
export async function withdrawExemptionRequest(tx: Tx, withdrawal: Withdrawal, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { requestId, personId } = withdrawal
  const subject = await lockExemptionRequest(tx, organizationId, requestId)
  if (subject.request.person_id !== personId) fail('not_found')
  refuseUnlessWaiting(subject.request, subject.requester)
  await setExemptionStatus(tx, { organizationId, requestId }, { status: 'withdrawn' }, now)
  const description = `Withdrew ${describeExemptionRequest(subject)}.`
  await recordAudit(tx, { action: 'exemption_request.withdrawn', about: aboutRequest(subject), description }, context)
}
