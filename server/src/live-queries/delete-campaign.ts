import type { ChangeContext } from '../base/change-context.ts'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Tx } from '../base/db/transact.ts'
import { orNotFound } from '../base/errors.ts'
import { recordAudit } from '../signals/audit/record-audit.ts'

type Deletion = { campaignId: string }

/** Removes a campaign with its results; devices that have not answered are not asked anymore. */
export async function deleteCampaign(tx: Tx, deletion: Deletion, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { campaignId } = deletion
  const { name } = orNotFound(
    await tx
      .deleteFrom('live_query_campaigns')
      .where(inOrganization('live_query_campaigns', organizationId))
      .where('id', '=', campaignId)
      .returning('name')
      .executeTakeFirst(),
  )
  await recordAudit(
    tx,
    {
      action: 'live_query.deleted',
      about: { live_query: campaignId },
      description: `Deleted the live query "${name}".`,
    },
    context,
  )
}
