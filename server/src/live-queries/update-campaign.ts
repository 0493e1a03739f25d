import type { ChangeContext } from '../base/change-context.ts'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Tx } from '../base/db/transact.ts'
import { orNotFound } from '../base/errors.ts'
import { changesBetween } from '../signals/audit/changes.ts'
import { recordAudit } from '../signals/audit/record-audit.ts'
import { refuseNoTargets, waitsUntil } from './create-campaign.ts'
import { insertTargets, lockFitting, refuseUnknownDevices } from './target-devices.ts'
import { isSameTargets, type Targets } from './targeting-rules.ts'

export type CampaignChange = {
  campaignId: string
  name: string | undefined
  statement: { sql: string; tablesUsed: readonly string[] } | undefined
  targetsFrom: (before: Targets) => Targets
  /** As the caller wrote them, for telling which are unknown. */
  namedDeviceIds: readonly string[]
}

/**
 * Changes a campaign. Another statement or other targets raise the revision: what came before is dropped, and all
 * devices that fit by now run it again. Another name alone does not, and a change of nothing writes nothing.
 */
export async function updateCampaign(tx: Tx, change: CampaignChange, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { campaignId } = change
  const stored = orNotFound(await lockCampaign(tx, organizationId, campaignId))
  const before = { deviceIds: stored.targeted_device_ids, platforms: stored.targeted_platforms }
  const targets = change.targetsFrom(before)
  refuseNoTargets(targets)
  await refuseUnknownDevices(tx, organizationId, change.namedDeviceIds)
  const { name = stored.name } = change
  const { sql, tablesUsed } = change.statement ?? { sql: stored.osquery_sql, tablesUsed: stored.tables_used }
  const news = [
    name === stored.name ? undefined : `name from "${stored.name}" to "${name}"`,
    sql === stored.osquery_sql ? undefined : `SQL from ${stored.osquery_sql} to ${sql}`,
    isSameTargets(before, targets) ? undefined : `targets from ${describe(before)} to ${describe(targets)}`,
  ].filter((one) => one !== undefined)
  if (news.length === 0) return
  const runsAgain = sql !== stored.osquery_sql || !isSameTargets(before, targets)
  const revision = stored.revision + Number(runsAgain)
  if (runsAgain) {
    await lockFitting(tx, organizationId, targets)
    await dropRun(tx, organizationId, campaignId)
  }
  await tx
    .updateTable('live_query_campaigns')
    .set({
      name,
      osquery_sql: sql,
      tables_used: [...tablesUsed],
      targeted_device_ids: [...targets.deviceIds],
      targeted_platforms: [...targets.platforms],
      ...(runsAgain && { revision, started_at: now, waits_until: waitsUntil(now), results_dropped_at: null }),
    })
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('id', '=', campaignId)
    .execute()
  if (runsAgain) await insertTargets(tx, { organizationId, campaignId, revision, targets, now })
  const description = `Changed the live query "${stored.name}": ${news.join('; ')}.`
  const changes = changesBetween(
    { name: stored.name, sql: stored.osquery_sql, targets: describe(before) },
    { name, sql, targets: describe(targets) },
    ['name', 'sql', 'targets'],
  )
  await recordAudit(
    tx,
    { action: 'live_query.updated', about: { live_query: campaignId }, description, changes },
    context,
  )
}

/** Answers do not wait for this lock; changes and removals of the campaign do. */
const lockCampaign = (tx: Tx, organizationId: string, campaignId: string) =>
  tx
    .selectFrom('live_query_campaigns')
    .selectAll()
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('id', '=', campaignId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Targets first: an answer that is on its way has one of them locked until its result is there to be dropped. */
async function dropRun(tx: Tx, organizationId: string, campaignId: string): Promise<void> {
  await tx
    .deleteFrom('live_query_targets')
    .where(inOrganization('live_query_targets', organizationId))
    .where('campaign_id', '=', campaignId)
    .execute()
  await tx
    .deleteFrom('live_query_results')
    .where(inOrganization('live_query_results', organizationId))
    .where('campaign_id', '=', campaignId)
    .execute()
  await tx
    .deleteFrom('live_query_tallies')
    .where(inOrganization('live_query_tallies', organizationId))
    .where('campaign_id', '=', campaignId)
    .execute()
}

function describe({ deviceIds, platforms }: Targets): string {
  const kinds = platforms.map((platform) => (platform === 'all' ? 'all devices' : `${platform} devices`))
  const [first] = deviceIds
  const named =
    deviceIds.length === 1 ? [`device ${first}`] : deviceIds.length > 1 ? [`${deviceIds.length} devices`] : []
  return [...kinds, ...named].join(' and ')
}
