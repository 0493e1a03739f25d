import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Decision } from './decision-rules.ts'

type Request = { organizationId: string; requestId: string }

/** What has become of an exemption request whose device is locked. */
export async function setExemptionStatus(
  tx: Tx,
  { organizationId, requestId }: Request,
  outcome: Decision | { status: 'open' | 'withdrawn' },
  now: string,
): Promise<void> {
  const { internalMessage = null, explanation = null } = 'explanation' in outcome ? outcome : {}
  await tx
    .updateTable('exemption_requests')
    .set({
      status: outcome.status,
      decided_at: outcome.status === 'open' ? null : now,
      internal_explanation: internalMessage,
      denial_explanation: explanation,
    })
    .where(inOrganization('exemption_requests', organizationId))
    .where('id', '=', requestId)
    .execute()
}
