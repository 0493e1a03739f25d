import type { ExemptionRequestDecision } from '@muster/contract/exemption-requests.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { exemptIssues } from '../../compliance/issues/exempt-issues.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { readExemptionDecision } from './decision-rules.ts'
import { aboutRequest, describeExemptionRequest, describeReason } from './describe-request.ts'
import { lockExemptionRequest, refuseUnlessWaiting } from './lock-request.ts'
import { setExemptionStatus } from './set-exemption-status.ts'

type Deciding = { requestId: string; decision: ExemptionRequestDecision }

/**
 * Approves or denies an open exemption request. Approved: its issues stay open but block no more; those that are
 * resolved by now are left alone. Fails with not_found, invalid, request_decided or request_withdrawn.
 */
export async function decideExemptionRequest(tx: Tx, deciding: Deciding, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { requestId } = deciding
  const subject = await lockExemptionRequest(tx, organizationId, requestId)
  const reading = readExemptionDecision(deciding.decision)
  if ('errors' in reading) return fail('invalid', { errors: reading.errors })
  refuseUnlessWaiting(subject.request, subject.requester)
  const { ok: decision } = reading
  const isApproved = decision.status === 'approved'
  await setExemptionStatus(tx, { organizationId, requestId }, decision, context.now)
  if (isApproved && (await exemptIssues(tx, organizationId, subject.request.issue_ids)) > 0) {
    await reconcileDevices(tx, [subject.device], { deadlines: 'all' }, context)
  }
  const reason = describeReason(decision.internalMessage)
  const description = `${isApproved ? 'Approved' : 'Denied'} ${describeExemptionRequest(subject)}${reason}`
  await recordAudit(
    tx,
    {
      action: isApproved ? 'exemption_request.approved' : 'exemption_request.denied',
      about: aboutRequest(subject),
      description,
    },
    context,
  )
}
