import type { ChangeContext, ChangeOrigin } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { endExemptionOfIssues } from '../../compliance/issues/exempt-issues.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { aboutRequest, describeExemptionRequest } from './describe-request.ts'
import { type ExemptionRequestRow, listCoveredIssues } from './exemption-queries.ts'
import { lockExemptionRequest, refuseLeaver } from './lock-request.ts'
import { setExemptionStatus } from './set-exemption-status.ts'

type Reopening = { requestId: string }

/**
 * Opens a decided exemption request again; of an approved one the exemption is taken back and its issues block as if it
 * had never been. An open one stays as it is. Fails with not_found, with request_withdrawn for one that its requester
 * gave up, and with already_requested where another open request covers an issue of it.
 */
export async function reopenExemptionRequest(tx: Tx, reopening: Reopening, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { requestId } = reopening
  const subject = await lockExemptionRequest(tx, organizationId, requestId)
  const { status, issue_ids: issueIds } = subject.request
  if (status === 'open') return
  if (status === 'withdrawn') fail('request_withdrawn')
  refuseLeaver(subject.requester)
  const others = await listCoveredIssues(tx, organizationId, issueIds, { status: 'open', except: requestId })
  if (others.size > 0) fail('already_requested')
  await setExemptionStatus(tx, { organizationId, requestId }, { status: 'open' }, context.now)
  if (status === 'approved') await takeBack(tx, subject.device, subject.request, context)
  const description = `Reopened ${describeExemptionRequest(subject)}, which was ${status}.`
  await recordAudit(tx, { action: 'exemption_request.reopened', about: aboutRequest(subject), description }, context)
}

/** What another approved request exempts as well stays exempted. */
async function takeBack(tx: Tx, device: LockedDevice, { id, issue_ids }: ExemptionRequestRow, context: ChangeOrigin) {
  const { organization_id: organizationId } = device
  const kept = await listCoveredIssues(tx, organizationId, issue_ids, { status: 'approved', except: id })
  const issueIds = issue_ids.filter((issueId) => !kept.has(issueId))
  if ((await endExemptionOfIssues(tx, organizationId, issueIds)) === 0) return
  await reconcileDevices(tx, [device], { deadlines: 'all' }, context)
}
