import { sql } from 'kysely'
import { inOrganization } from '../../db/in-organization.ts'
import type { Tx } from '../../db/transact.ts'
import { QueryRefused } from '../sandbox/query-refused.ts'
import type { Report } from '../sandbox/read-report.ts'
import type { ReportRow } from '../sandbox/report-row.ts'
import { requestRun } from './request-run.ts'

export type RunOutcome = Report | QueryRefused

export type FinishedRun = {
  organizationId: string
  queryId: string
  /** Of the SQL that ran. */
  revision: string
  outcome: RunOutcome
  startedAt: string
}

const rowsPerStatement = 1_000

/**
 * Puts the rows in place of those of the latest run, which stay for readers who are paging through them; those of the
 * run before go. A failed run leaves the rows and says why.
 */
export async function storeRun(tx: Tx, run: FinishedRun): Promise<'stored' | 'failed' | 'gone' | 'edited'> {
  const { organizationId, queryId, outcome, startedAt } = run
  const query = await tx
    .selectFrom('reporting_queries')
    .select(['revision', 'run_id', 'last_run_id'])
    .where(inOrganization('reporting_queries', organizationId))
    .where('id', '=', queryId)
    .forUpdate()
    .executeTakeFirst()
  if (!query) return 'gone'
  if (query.revision !== run.revision) {
    await requestRun(tx, organizationId, queryId)
    return 'edited'
  }
  if (outcome instanceof QueryRefused) {
    await update(tx, run, { error_message: outcome.message, failed_at: startedAt })
    return 'failed'
  }
  const runId = String(BigInt(query.last_run_id) + 1n)
  await insertRows(tx, run, runId, outcome.rows)
  await tx
    .deleteFrom('reporting_query_results')
    .where(inOrganization('reporting_query_results', organizationId))
    .where('query_id', '=', queryId)
    .where('run_id', 'not in', query.run_id === null ? [runId] : [runId, query.run_id])
    .execute()
  await update(tx, run, {
    run_id: runId,
    last_run_id: runId,
    ran_at: startedAt,
    column_names: [...outcome.columns],
    result_count: outcome.rows.length,
    is_truncated: outcome.isTruncated,
    error_message: null,
    failed_at: null,
  })
  return 'stored'
}

type Changes = {
  run_id?: string
  last_run_id?: string
  ran_at?: string
  column_names?: string[]
  result_count?: number
  is_truncated?: boolean
  error_message: string | null
  failed_at: string | null
}

async function update(tx: Tx, { organizationId, queryId }: FinishedRun, changes: Changes): Promise<void> {
  await tx
    .updateTable('reporting_queries')
    .set(changes)
    .where(inOrganization('reporting_queries', organizationId))
    .where('id', '=', queryId)
    .execute()
}

async function insertRows(
  tx: Tx,
  { organizationId, queryId }: FinishedRun,
  runId: string,
  rows: readonly ReportRow[],
): Promise<void> {
  let total = 0
  const totals = rows.map(({ bytes }) => {
    total += bytes
    return total
  })
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const batch = rows.slice(start, start + rowsPerStatement).map(({ content }) => content)
    await sql`
      insert into reporting_query_results (organization_id, query_id, run_id, position, content, total_bytes)
      select ${organizationId}::bigint, ${queryId}::bigint, ${runId}::bigint, ${start}::int + place, content::json, bytes
      from unnest(${batch}::text[], ${totals.slice(start, start + rowsPerStatement)}::int[])
        with ordinality as given (content, bytes, place)`.execute(tx)
  }
}
