import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../base/db/transact.ts'
import { adjustLiveTallies } from './adjust-live-tallies.ts'

type Campaign = { organization_id: string; id: string; revision: number }

const devicesPerBatch = 1_000
const message = 'The device did not come online within seven days.'

/** Ends the wait for devices that have not answered campaigns in time, in batches; returns how many those were. */
export async function giveUpWaiting(db: Db, now: string): Promise<number> {
  let givenUp = 0
  for (;;) {
    const count = await transact(db, async (tx) => {
      const campaign = await lockOverdue(tx, now)
      return campaign && giveUpBatch(tx, campaign)
    })
    if (count === undefined) return givenUp
    givenUp += count
  }
}

async function lockOverdue(tx: Tx, now: string): Promise<Campaign | undefined> {
  const { rows } = await sql<Campaign>`
    select organization_id, id, revision from live_query_campaigns
    where waits_until <= ${now}::timestamptz order by waits_until limit 1
    for no key update skip locked
  `.execute(tx)
  return rows[0]
}

async function giveUpBatch(tx: Tx, { organization_id: organizationId, id: campaignId, revision }: Campaign) {
  const devices = await sql<{ id: string; is_living: boolean }>`
    select devices.id, devices.deleted_at is null as is_living
    from live_query_targets as target
    join devices on devices.organization_id = target.organization_id and devices.id = target.device_id
    where target.organization_id = ${organizationId}::bigint and target.campaign_id = ${campaignId}::bigint
      and target.status = 'waiting'
    order by target.device_id limit ${devicesPerBatch} for share of devices
  `.execute(tx)
  const living = new Set(devices.rows.flatMap(({ id, is_living }) => (is_living ? [id] : [])))
  const { rows: errored } = await sql<{ device_id: string }>`
    with errored as (
      update live_query_targets set status = 'errored'
      where ${inOrganization('live_query_targets', organizationId)} and campaign_id = ${campaignId}::bigint
        and device_id = any(${devices.rows.map(({ id }) => id)}::bigint[]) and status = 'waiting'
      returning device_id
    ), stored as (
      insert into live_query_results (organization_id, campaign_id, device_id, revision, row_count, error_message, rows)
      select ${organizationId}::bigint, ${campaignId}::bigint, device_id, ${revision}::int, 0, ${message}, '[]' from errored
    )
    select device_id from errored
  `.execute(tx)
  await adjustLiveTallies(
    tx,
    organizationId,
    errored
      .filter(({ device_id }) => living.has(device_id))
      .map(({ device_id }) => ({ campaignId, deviceId: device_id, from: 'waiting', to: 'errored' })),
  )
  if (devices.rows.length < devicesPerBatch) await endWait(tx, organizationId, campaignId)
  return errored.length
}

const endWait = (tx: Tx, organizationId: string, campaignId: string) =>
  tx
    .updateTable('live_query_campaigns')
    .set({ waits_until: null })
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('id', '=', campaignId)
    .execute()
