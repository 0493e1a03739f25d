import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { judgeNamedQuery } from './judge-named-query.ts'
import { requestRun } from './request-run.ts'
import { nextRunAfter, type RunInterval } from './rules.ts'

export type QueryEdit = {
  id: string
  name?: string | undefined
  sql?: string | undefined
  interval?: RunInterval | undefined
}

/**
 * Changes what is given; what is as it was writes nothing. New SQL drops the rows of the old and runs at once. A run
 * under way finds another revision, and its rows are dropped.
 */
export async function editQuery(tx: Tx, edit: QueryEdit, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { id } = edit
  const stored = orNotFound(await lockQuery(tx, organizationId, id))
  const name = edit.name ?? stored.name
  const sql = edit.sql ?? stored.sql
  const interval = edit.interval ?? stored.interval_seconds
  const news = [
    ...(name === stored.name ? [] : [`its name from "${stored.name}" to "${name}"`]),
    ...(sql === stored.sql ? [] : ['its SQL']),
    ...(interval === stored.interval_seconds
      ? []
      : [`its interval from ${stored.interval_seconds} to ${interval} seconds`]),
  ]
  if (news.length === 0) return
  await judgeNamedQuery({ name, sql })
  const isOther = sql !== stored.sql
  await tx
    .updateTable('reporting_queries')
    .set({ name, sql, interval_seconds: interval })
    .$if(interval !== stored.interval_seconds, (update) => update.set({ next_run_at: nextRunAfter(now, interval) }))
    .$if(isOther, (update) => update.set((row) => ({ revision: row('revision', '+', '1'), ...withoutRun })))
    .where(inOrganization('reporting_queries', organizationId))
    .where('id', '=', id)
    .execute()
  if (isOther) {
    await tx
      .deleteFrom('reporting_query_runs')
      .where(inOrganization('reporting_query_runs', organizationId))
      .where('query_id', '=', id)
      .execute()
    await requestRun(tx, organizationId, id)
  }
  const description = `Changed the reporting query "${stored.name}": ${news.join(', ')}.`
  const after = { name, sql, interval_seconds: interval }
  const changes = changesBetween(stored, after, ['name', 'sql', 'interval_seconds'])
  await recordAudit(
    tx,
    { action: 'reporting_query.updated', about: { reporting_query: id }, description, changes },
    context,
  )
}

const withoutRun = {
  run_id: null,
  ran_at: null,
  column_names: [],
  result_count: 0,
  is_truncated: false,
  error_message: null,
  failed_at: null,
}

const lockQuery = (tx: Tx, organizationId: string, id: string) =>
  tx
    .selectFrom('reporting_queries')
    .select(['name', 'sql', 'interval_seconds'])
    .where(inOrganization('reporting_queries', organizationId))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
