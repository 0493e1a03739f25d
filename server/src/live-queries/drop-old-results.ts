import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../base/db/transact.ts'
import { oldBefore, oldSomewhereBefore } from '../base/retention.ts'

type Campaign = { organization_id: string; id: string }

const rowsPerBatch = 1_000

/** Removes what devices answered to campaigns that last ran too long ago to be kept, in batches. The counts stay. */
export async function dropOldResults(db: Db, now: string): Promise<void> {
  for (;;) {
    const isDone = await transact(db, async (tx) => {
      const campaign = await lockOld(tx, now)
      if (campaign) await dropBatch(tx, campaign, now)
      return campaign === undefined
    })
    if (isDone) return
  }
}

async function lockOld(tx: Tx, now: string): Promise<Campaign | undefined> {
  const { rows } = await sql<Campaign>`
    select organization_id, id from live_query_campaigns
    where results_dropped_at is null and started_at < ${oldSomewhereBefore('live_results', now)}
      and started_at < ${oldBefore('live_results', sql`live_query_campaigns.organization_id`, now)}
    order by started_at limit 1
    for no key update skip locked
  `.execute(tx)
  return rows[0]
}

async function dropBatch(tx: Tx, { organization_id: organizationId, id }: Campaign, now: string): Promise<void> {
  const targets = await sql`
    delete from live_query_targets where ${inOrganization('live_query_targets', organizationId)}
      and campaign_id = ${id}::bigint and device_id in (
        select device_id from live_query_targets where ${inOrganization('live_query_targets', organizationId)}
          and campaign_id = ${id}::bigint order by device_id limit ${rowsPerBatch}
      )
  `.execute(tx)
  const parts = await sql`
    delete from live_query_result_parts where ${inOrganization('live_query_result_parts', organizationId)}
      and (result_id, first_row) in (
        select part.result_id, part.first_row from live_query_results as result
        join live_query_result_parts as part
          on part.organization_id = result.organization_id and part.result_id = result.id
        where result.organization_id = ${organizationId}::bigint and result.campaign_id = ${id}::bigint
        limit ${rowsPerBatch}
      )
  `.execute(tx)
  if (Number(parts.numAffectedRows) === rowsPerBatch) return
  const results = await sql`
    delete from live_query_results where ${inOrganization('live_query_results', organizationId)} and id in (
      select id from live_query_results where ${inOrganization('live_query_results', organizationId)}
        and campaign_id = ${id}::bigint order by id limit ${rowsPerBatch}
    )
  `.execute(tx)
  const dropped = [targets, results].map(({ numAffectedRows = 0n }) => Number(numAffectedRows))
  if (Math.max(...dropped) === rowsPerBatch) return
  await tx
    .updateTable('live_query_campaigns')
    .set({ results_dropped_at: now, waits_until: null })
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('id', '=', id)
    .execute()
}
