import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { CursorError } from '../../base/lists/cursor.ts'
import { type Keyset, otherOrder } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { rowsPerSlice, unpackRows, unpackWholeRows } from './packed-rows.ts'

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
    .$call(nextRows(byId, after, limit))
    .execute()

export const findQuery = (reader: Reader, organizationId: string, id: string) =>
  fromQueries(reader, organizationId).where('id', '=', id).executeTakeFirst()

/** Whether the results of the query can be asked for. */
export const queryExists = async (reader: Reader, organizationId: string, id: string): Promise<boolean> =>
  (await findQuery(reader, organizationId, id)) !== undefined

const maxAnswered = 1_000

/** A part of so many bytes may end within a letter, which is no text; ASCII is whole. */
const partsOfLetters = Buffer.from(Array.from({ length: 128 }, (_, index) => 128 + index))

/** The first rows of each query's latest run, together within `maxBytes`, which the queries share alike. */
export async function firstResults(
  reader: Reader,
  organizationId: string,
  queries: readonly Pick<QueryRow, 'id' | 'run_id'>[],
  maxBytes: number,
): Promise<Map<string, Record<string, unknown>[]>> {
  const found = new Map(queries.map(({ id }) => [id, [] as Record<string, unknown>[]]))
  if (queries.length === 0) return found
  const share = Math.floor(maxBytes / queries.length)
  const most = sql`least(${share}::int, run.slice_ends[${maxAnswered / rowsPerSlice}::int])`
  const runs = await reader
    .selectFrom('reporting_queries')
    .innerJoin('reporting_query_runs as run', (join) =>
      join
        .onRef('run.organization_id', '=', 'reporting_queries.organization_id')
        .onRef('run.query_id', '=', 'reporting_queries.id')
        .onRef('run.run_id', '=', 'reporting_queries.run_id'),
    )
    .select('run.query_id')
    .select(
      sql<string>`convert_from(rtrim(substring(run.content from 1 for ${most}), ${partsOfLetters}), 'UTF8')`.as('part'),
    )
    .where(inOrganization('reporting_queries', organizationId))
    .where((build) => build('reporting_queries.id', '=', build.fn.any(build.val(queries.map(({ id }) => id)))))
    .execute()
  for (const { query_id, part } of runs) found.set(query_id, unpackWholeRows(part))
  return found
}

export type ResultRow = Awaited<ReturnType<typeof listResults>>[number]

/** Where a row stands: a page continues in the run that it began in. */
export const placeOfResult = ({ run_id, position }: Pick<ResultRow, 'run_id' | 'position'>): string =>
  `${run_id}/${position}`

/** Rows of the latest run, or on later pages of the run that the first was of; CursorError once that is gone. */
export async function listResults(
  reader: Reader,
  { organizationId, params, after, limit }: ListPage<{ readonly queryId: string }>,
) {
  const [run = null, place = '0'] = after?.split('/') ?? []
  if (after !== undefined && !/^\d{1,18}\/\d{1,9}$/.test(after)) throw new CursorError(otherOrder)
  const position = Number(place)
  const firstSlice = Math.floor(position / rowsPerSlice)
  const found = await reader
    .selectFrom('reporting_queries')
    .innerJoin('reporting_query_runs as run', (join) =>
      join
        .onRef('run.organization_id', '=', 'reporting_queries.organization_id')
        .onRef('run.query_id', '=', 'reporting_queries.id')
        .on('run.run_id', '=', sql<string>`coalesce(${run}::bigint, reporting_queries.run_id)`),
    )
    .select('run.run_id')
    .select(slices(firstSlice, Math.ceil((position + limit) / rowsPerSlice)).as('part'))
    .where(inOrganization('reporting_queries', organizationId))
    .where('reporting_queries.id', '=', params.queryId)
    .where('run.row_count', '>', position)
    .executeTakeFirst()
  // A cursor is given only where another row follows.
  if (after !== undefined && !found) {
    throw new CursorError('The query has run again since then. Start again without a cursor')
  }
  if (!found) return []
  const before = position - firstSlice * rowsPerSlice
  const rows = unpackRows(found.part).slice(before, before + limit)
  return rows.map((content, index) => ({ run_id: found.run_id, position: position + index + 1, content }))
}

/** Slices `from` up to the one before `to`, or up to the last. Elements of arrays count from 1. */
function slices(from: number, to: number) {
  const start = sql`coalesce(run.slice_ends[${from}::int], 0)`
  const end = sql`coalesce(run.slice_ends[${to}::int], run.slice_ends[cardinality(run.slice_ends)])`
  return sql<string>`convert_from(substring(run.content from ${start} + 1 for ${end} - ${start}), 'UTF8')`
}
