import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { aboutRequest, describeRegistrationRequest } from './describe-request.ts'
import { lockRegistrationRequest, refuseUnlessWaiting } from './lock-request.ts'
import { findPendingRequest } from './registration-queries.ts'

type Withdrawal = { deviceId: string; personId: string }

/**
 * Takes back the request of a person that waits for a decision about a device. Its status is denied from then on, which is
 * what the API has for it. Fails with not_found where none waits.
 */
export async function withdrawRegistrationRequest(
  tx: Tx,
  { deviceId, personId }: Withdrawal,
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now } = context
  const { id } = orNotFound(await findPendingRequest(tx, { organizationId, deviceId, personId }))
  const subject = await lockRegistrationRequest(tx, organizationId, id)
  refuseUnlessWaiting(subject.request, subject.requester)
  await tx
    .updateTable('registration_requests')
    .set({ status: 'denied', decided_at: now, withdrawn_at: now, internal_note: 'Withdrawn by the requester.' })
    .where(inOrganization('registration_requests', organizationId))
    .where('id', '=', id)
    .execute()
  await recordAudit(
    tx,
    {
      action: 'registration_request.withdrawn',
      about: aboutRequest(subject),
      description: `Withdrew ${describeRegistrationRequest(subject)}.`,
    },
    context,
  )
}
