import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import type { LiveQueryStatus } from '../base/db/schema.ts'
import { type Db, type Tx, transact } from '../base/db/transact.ts'
import { adjustLiveTallies } from './adjust-live-tallies.ts'
import type { KeptAnswer } from './keep-answer.ts'
import { fitCampaigns, storeParts } from './store-parts.ts'

export type LiveAnswer = KeptAnswer & { deviceId: string; campaignId: string; revision: number }

export type ClosedTarget = { campaign_id: string; device_id: string; status: LiveQueryStatus; result_id: string }

/**
 * Stores what devices of one organization answered. Ignored are answers of deleted devices, to another revision than
 * the present one, and to what is answered or given up already. Returns how many were stored of each device.
 */
export async function recordLiveAnswers(
  db: Db,
  organizationId: string,
  answers: readonly LiveAnswer[],
): Promise<Map<string, number>> {
  if (answers.length === 0) return new Map()
  return transact(db, async (tx) => {
    const living = new Set(await holdDevices(tx, organizationId, answers))
    const heard = answers.filter(({ deviceId }) => living.has(deviceId))
    const fitting = await fitCampaigns(tx, organizationId, heard)
    const closed = await closeTargets(tx, organizationId, fitting)
    const charactersByResult = await storeParts(tx, organizationId, fitting, closed)
    await adjustLiveTallies(
      tx,
      organizationId,
      closed.map(({ campaign_id, device_id, status, result_id }) => ({
        campaignId: campaign_id,
        deviceId: device_id,
        from: 'waiting',
        to: status,
        partCharacters: charactersByResult.get(result_id) ?? 0,
      })),
    )
    const byDevice = Map.groupBy(closed, ({ device_id }) => device_id)
    return new Map([...byDevice].map(([deviceId, stored]) => [deviceId, stored.length]))
  })
}

/** Until the commit, so that a device is not taken out of the counts in between. */
async function holdDevices(tx: Tx, organizationId: string, answers: readonly LiveAnswer[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from devices
    where ${inOrganization('devices', organizationId)} and deleted_at is null
      and id = any(${[...new Set(answers.map(({ deviceId }) => deviceId))]}::bigint[])
    order by id for share
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** Campaigns are locked before their targets: deletion takes them in this order too. */
async function closeTargets(tx: Tx, organizationId: string, answers: readonly LiveAnswer[]): Promise<ClosedTarget[]> {
  if (answers.length === 0) return []
  const { rows } = await sql<ClosedTarget>`
    with held as materialized (
      select id from live_query_campaigns
      where ${inOrganization('live_query_campaigns', organizationId)}
        and id = any(${[...new Set(answers.map(({ campaignId }) => campaignId))]}::bigint[])
      order by id for key share
    ), answer as (
      select * from unnest(
        ${answers.map(({ campaignId }) => campaignId)}::bigint[], ${answers.map(({ deviceId }) => deviceId)}::bigint[],
        ${answers.map(({ revision }) => revision)}::int[], ${answers.map(({ rowCount }) => rowCount)}::int[],
        ${answers.map(({ errorMessage }) => errorMessage)}::text[],
        ${answers.map(({ warningMessage }) => warningMessage)}::text[], ${answers.map(({ rows }) => rows)}::text[],
        ${answers.map(({ more }) => more?.rowCount ?? 0)}::int[]
      ) as given (campaign_id, device_id, revision, row_count, error_message, warning_message, rows, rows_in_parts)
    ), closed as (
      update live_query_targets as target
      set status = case when answer.error_message is null then 'successful' else 'errored' end
      from answer join held on held.id = answer.campaign_id
      where target.organization_id = ${organizationId}::bigint and target.campaign_id = answer.campaign_id
        and target.device_id = answer.device_id and target.revision = answer.revision and target.status = 'waiting'
      returning target.campaign_id, target.device_id, target.status, answer.revision, answer.row_count,
        answer.error_message, answer.warning_message, answer.rows, answer.rows_in_parts
    ), stored as (
      insert into live_query_results
        (organization_id, campaign_id, device_id, revision, row_count, error_message, warning_message, rows, rows_in_parts)
      select ${organizationId}::bigint, campaign_id, device_id, revision, row_count, error_message, warning_message,
        rows::jsonb, rows_in_parts
      from closed
      returning id, campaign_id, device_id
    )
    select closed.campaign_id, closed.device_id, closed.status, stored.id as result_id
    from closed join stored using (campaign_id, device_id)
  `.execute(tx)
  return rows
}
