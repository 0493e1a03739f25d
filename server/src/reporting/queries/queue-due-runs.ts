import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { queueRun, requestRun } from './request-run.ts'

const maxAtOnce = 200

/**
 * Queues a run of every query whose moment has come, and notes its next. A moment that was missed is not made up for.
 * Organizations without the feature wait for it. Returns how many.
 */
export async function queueDueRuns(db: Db, now: string): Promise<number> {
  return transact(db, async (tx) => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      update reporting_queries set next_run_at = ${now}::timestamptz + reporting_queries.interval_seconds * interval '1 second'
      from (
        select q.organization_id, q.id from reporting_queries as q
        join organizations as o on o.id = q.organization_id and not ('reporting' = any(o.disabled_features))
        where q.next_run_at <= ${now}::timestamptz
        order by q.next_run_at limit ${maxAtOnce}::int for update of q skip locked
      ) as due
      where reporting_queries.organization_id = due.organization_id and reporting_queries.id = due.id
      returning reporting_queries.organization_id, reporting_queries.id`.execute(tx)
    for (const { organization_id, id } of rows) await requestRun(tx, organization_id, id)
    await queueForgotten(tx)
    return rows.length
  })
}

/** A process that died may have taken the job of a run that waits for its organization's turn. */
async function queueForgotten(tx: Tx): Promise<void> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    select organization_id, id from reporting_queries
    where run_requested_at < clock_timestamp() - interval '2 minutes' limit 1`.execute(tx)
  for (const { organization_id, id } of rows) await queueRun(tx, organization_id, id)
}
