import { systemChange } from '../../../base/change-context.ts'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Tx } from '../../../base/db/transact.ts'
import type { WorkKey } from '../../../base/jobs/leases.ts'
import { recordAudit } from '../../audit/record-audit.ts'

const reasons = {
  gone: 'its receiver answered 410 Gone',
  failing: 'nothing could be delivered to it for five days',
} as const

/** Disables an endpoint that is of no use anymore; what waits for it waits until it is enabled again. */
export async function giveUpEndpoint(
  tx: Tx,
  { organizationId, id }: WorkKey,
  why: keyof typeof reasons,
  now: string,
): Promise<void> {
  const disabled = await tx
    .updateTable('webhook_endpoints')
    .set({ disabled_at: now, disabled_reason: why, updated_at: now })
    .where(inOrganization('webhook_endpoints', organizationId))
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .where('deleted_at', 'is', null)
    .returning('url')
    .executeTakeFirst()
  if (!disabled) return
  const description = `Disabled the webhook endpoint ${id} at "${new URL(disabled.url).host}" because ${reasons[why]}`
  await recordAudit(
    tx,
    { action: 'webhook.disabled', about: { webhook: id }, description },
    systemChange(organizationId, now),
  )
}
