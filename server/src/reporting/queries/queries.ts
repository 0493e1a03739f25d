import { sql } from 'kysely'
import { inOrganization } from '../../db/in-organization.ts'
import type { Reader } from '../../db/transact.ts'
import { CursorError } from '../../lists/cursor.ts'
import { afterCursor, inKeysetOrder, type Keyset, otherOrder } from '../../lists/keyset.ts'
import type { ListPage } from '../../lists/list-page.ts'

const byId: Keyset = { id: { column: 'reporting_queries.id', type: 'bigint' }, direction: 'asc' }

const fromQueries = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('reporting_queries')
    .select(['id', 'name', 'sql', 'interval_seconds', 'created_at', 'next_run_at', 'run_id', 'ran_at', 'column_names'])
    .select(['result_count', 'is_truncated', 'error_message', 'failed_at'])
    .where(inOrganization('reporting_queries', organizationId))

export type QueryRow = Awaited<ReturnType<typeof listQueries>>[number]

export const listQueries = (reader: Reader, { organizationId, after, limit }: ListPage) =>
  fromQueries(reader, organizationId)
    .where(afterCursor(byId, after === undefined ? undefined : [after]))
    .$call(inKeysetOrder(byId))
    .limit(sql.lit(limit))
    .execute()

export const findQuery = (reader: Reader, organizationId: string, id: string) =>
  fromQueries(reader, organizationId).where('id', '=', id).executeTakeFirst()

/** Whether the results of the query can be asked for. */
export const queryExists = async (reader: Reader, organizationId: string, id: string): Promise<boolean> =>
  (await findQuery(reader, organizationId, id)) !== undefined

const mostAnswered = 1_000

/** A row is at least as long as the names of its columns, which spares reading rows that cannot fit. */
const lastThatMayFit = (share: number) => sql<number>`least(${mostAnswered}::int, ${share}::int / (
  2 + coalesce((select sum(octet_length(name) + 4) from unnest(reporting_queries.column_names) as name), 0)::int))`

/** The first rows of each query's latest run, together within `mostBytes`, which the queries share alike. */
export async function firstResults(
  reader: Reader,
  organizationId: string,
  queries: readonly Pick<QueryRow, 'id' | 'run_id'>[],
  mostBytes: number,
): Promise<Map<string, Record<string, unknown>[]>> {
  const found = new Map(queries.map(({ id }) => [id, [] as Record<string, unknown>[]]))
  if (queries.length === 0) return found
  const share = Math.floor(mostBytes / queries.length)
  // One value for each query: fifty thousand rows of one value each take several times as long.
  const rows = await reader
    .selectFrom('reporting_queries')
    .innerJoin('reporting_query_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'reporting_queries.organization_id')
        .onRef('result.query_id', '=', 'reporting_queries.id')
        .onRef('result.run_id', '=', 'reporting_queries.run_id'),
    )
    .select('result.query_id')
    .select(sql<Record<string, unknown>[]>`json_agg(result.content order by result.position)`.as('contents'))
    .where(inOrganization('reporting_queries', organizationId))
    .where((build) => build('reporting_queries.id', '=', build.fn.any(build.val(queries.map(({ id }) => id)))))
    .where('result.position', '<=', lastThatMayFit(share))
    .where('result.total_bytes', '<=', share)
    .groupBy('result.query_id')
    .execute()
  for (const { query_id, contents } of rows) found.set(query_id, contents)
  return found
}

export type ResultRow = Awaited<ReturnType<typeof listResults>>[number]

/** Where a row stands: a page goes on in the run that it began in. */
export const placeOfResult = ({ run_id, position }: Pick<ResultRow, 'run_id' | 'position'>): string =>
  `${run_id}/${position}`

/** Rows of the latest run, or on later pages of the run that the first was of; CursorError once that is gone. */
export async function listResults(
  reader: Reader,
  { organizationId, params, after, limit }: ListPage<{ readonly queryId: string }>,
) {
  const [run = null, position = '0'] = after?.split('/') ?? []
  if (after !== undefined && !/^\d{1,18}\/\d{1,9}$/.test(after)) throw new CursorError(otherOrder)
  const rows = await reader
    .selectFrom('reporting_queries')
    .innerJoin('reporting_query_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'reporting_queries.organization_id')
        .onRef('result.query_id', '=', 'reporting_queries.id')
        .on('result.run_id', '=', sql<string>`coalesce(${run}::bigint, reporting_queries.run_id)`),
    )
    .select(['result.run_id', 'result.position', 'result.content'])
    .where(inOrganization('reporting_queries', organizationId))
    .where('reporting_queries.id', '=', params.queryId)
    .where('result.position', '>', Number(position))
    .orderBy('result.position')
    .limit(sql.lit(limit))
    .execute()
  // A cursor is given only where another row follows.
  if (after !== undefined && rows.length === 0) {
    throw new CursorError('The query has run again since; start again without a cursor')
  }
  return rows
}
