import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { QueryRefused } from '../sandbox/query-refused.ts'
import type { Report } from '../sandbox/read-report.ts'
import { type PackedRows, packRows } from './packed-rows.ts'
import { requestRun } from './request-run.ts'
import { retryAfter } from './rules.ts'

export type RunOutcome = Report | QueryRefused

export type FinishedRun = {
  organizationId: string
  queryId: string
  /** Of the SQL that ran. */
  revision: string
  outcome: RunOutcome
  startedAt: string
}

/**
 * Puts the rows in place of those of the latest run, which stay for readers who are paging through them; those of the
 * run before go. Rows that are stored already are not written again. A failed run leaves the rows and says why; one that
 * failed by a fault of the moment is tried again before its schedule says so.
 */
export async function storeRun(tx: Tx, run: FinishedRun): Promise<'stored' | 'failed' | 'gone' | 'edited'> {
  const { organizationId, queryId, outcome, startedAt } = run
  const query = await lockQuery(tx, run)
  if (!query) return 'gone'
  if (query.revision !== run.revision) {
    await requestRun(tx, organizationId, queryId)
    return 'edited'
  }
  if (outcome instanceof QueryRefused) {
    const failing = { failedAt: query.failed_at, nextRunAt: query.next_run_at }
    await update(tx, run, {
      ...{ error_message: outcome.message, failed_at: startedAt },
      ...(outcome.isPassing && { next_run_at: retryAfter(startedAt, failing) }),
    })
    return 'failed'
  }
  const packed = packRows(outcome.rows)
  const lastRunId = String(BigInt(query.last_run_id) + 1n)
  const isSame = query.digest?.equals(packed.digest) ?? false
  if (!isSame) await replaceRows(tx, run, { before: query.run_id, runId: lastRunId, packed })
  await update(tx, run, {
    run_id: isSame ? query.run_id : lastRunId,
    last_run_id: lastRunId,
    ran_at: startedAt,
    column_names: [...outcome.columns],
    result_count: outcome.rows.length,
    is_truncated: outcome.isTruncated,
    error_message: null,
    failed_at: null,
  })
  return 'stored'
}

const lockQuery = (tx: Tx, { organizationId, queryId }: FinishedRun) =>
  tx
    .selectFrom('reporting_queries')
    .select(['revision', 'run_id', 'last_run_id', 'next_run_at', 'failed_at'])
    .select((query) =>
      query
        .selectFrom('reporting_query_runs as run')
        .select('run.digest')
        .whereRef('run.organization_id', '=', 'reporting_queries.organization_id')
        .whereRef('run.query_id', '=', 'reporting_queries.id')
        .whereRef('run.run_id', '=', 'reporting_queries.run_id')
        .as('digest'),
    )
    .where(inOrganization('reporting_queries', organizationId))
    .where('id', '=', queryId)
    .forUpdate()
    .executeTakeFirst()

type Changes = {
  run_id?: string | null
  last_run_id?: string
  ran_at?: string
  column_names?: string[]
  result_count?: number
  is_truncated?: boolean
  error_message: string | null
  failed_at: string | null
  next_run_at?: string
}

async function update(tx: Tx, { organizationId, queryId }: FinishedRun, changes: Changes): Promise<void> {
  await tx
    .updateTable('reporting_queries')
    .set(changes)
    .where(inOrganization('reporting_queries', organizationId))
    .where('id', '=', queryId)
    .execute()
}

type Replacement = { before: string | null; runId: string; packed: PackedRows }

async function replaceRows(
  tx: Tx,
  { organizationId, queryId }: FinishedRun,
  { before, runId, packed: { rowCount, sliceEnds, digest, content } }: Replacement,
): Promise<void> {
  await sql`
    insert into reporting_query_runs (organization_id, query_id, run_id, row_count, slice_ends, digest, content)
    values (${organizationId}::bigint, ${queryId}::bigint, ${runId}::bigint, ${rowCount}::int, ${sliceEnds}::int[],
      ${digest}, convert_to(${content}::text, 'UTF8'))`.execute(tx)
  await tx
    .deleteFrom('reporting_query_runs')
    .where(inOrganization('reporting_query_runs', organizationId))
    .where('query_id', '=', queryId)
    .where('run_id', 'not in', before === null ? [runId] : [runId, before])
    .execute()
}
