import { inOrganization } from '../base/db/in-organization.ts'
import type { Tx } from '../base/db/transact.ts'
import { adjustLiveTallies } from './adjust-live-tallies.ts'

type Device = { organization_id: string; id: string }

/** Adds a locked device to (1) or takes it out of (-1) the counts of the campaigns that it is a target of. */
export async function countInLiveQueries(tx: Tx, device: Device, step: 1 | -1): Promise<void> {
  const targets = await tx
    .selectFrom('live_query_targets')
    .select(['campaign_id', 'status'])
    .where(inOrganization('live_query_targets', device.organization_id))
    .where('device_id', '=', device.id)
    .orderBy('campaign_id')
    .forUpdate()
    .execute()
  await adjustLiveTallies(
    tx,
    device.organization_id,
    targets.map(({ campaign_id, status }) => ({
      campaignId: campaign_id,
      deviceId: device.id,
      from: step === 1 ? null : status,
      to: step === 1 ? status : null,
    })),
  )
}
