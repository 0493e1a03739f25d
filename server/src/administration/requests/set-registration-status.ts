import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Decision } from './decision-rules.ts'

type Request = { organizationId: string; requestId: string }

/** What has become of a registration request whose device is locked. */
export async function setRegistrationStatus(
  tx: Tx,
  { organizationId, requestId }: Request,
  outcome: Decision | { status: 'pending' },
  now: string,
): Promise<void> {
  const { internalMessage = null, explanation = null } = 'explanation' in outcome ? outcome : {}
  await tx
    .updateTable('registration_requests')
    .set({
      status: outcome.status,
      decided_at: outcome.status === 'pending' ? null : now,
      internal_note: internalMessage,
      end_user_denial_note: explanation,
    })
    .where(inOrganization('registration_requests', organizationId))
    .where('id', '=', requestId)
    .execute()
}
