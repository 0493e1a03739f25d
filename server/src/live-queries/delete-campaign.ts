import { inOrganization } from '../base/db/in-organization.ts'
import type { Tx } from '../base/db/transact.ts'
import { orNotFound } from '../base/errors.ts'
import { type Actor, recordAudit } from '../signals/audit/record-audit.ts'

type Deletion = {
  organizationId: string
  campaignId: string
  actor: Actor
  now: string
}

/** Removes a campaign with its results; devices that have not answered are not asked anymore. */
export async function deleteCampaign(tx: Tx, deletion: Deletion): Promise<void> {
  const { organizationId, campaignId, actor, now } = deletion
  const { name } = orNotFound(
    await tx
      .deleteFrom('live_query_campaigns')
      .where(inOrganization('live_query_campaigns', organizationId))
      .where('id', '=', campaignId)
      .returning('name')
      .executeTakeFirst(),
  )
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { live_query: campaignId },
    description: `Deleted the live query "${name}".`,
    now,
  })
}
