import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { judgeNamedQuery } from './judge-named-query.ts'
import { requestRun } from './request-run.ts'
import { nextRunAfter, type RunInterval } from './rules.ts'

export type NewQuery = { name: string; sql: string; interval: RunInterval }

/** Makes a reporting query and has it run at once. Returns its identifier. Refuses SQL that may not run. */
export async function createQuery(tx: Tx, query: NewQuery, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  const { name, sql, interval } = query
  await judgeNamedQuery(query)
  const { id } = await tx
    .insertInto('reporting_queries')
    .values({
      organization_id: organizationId,
      name,
      sql,
      interval_seconds: interval,
      created_at: now,
      next_run_at: nextRunAfter(now, interval),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await requestRun(tx, organizationId, id)
  await recordAudit(
    tx,
    {
      action: 'reporting_query.created',
      about: { reporting_query: id },
      description: `Created the reporting query "${name}".`,
    },
    context,
  )
  return id
}
