import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'
import { refuse } from './query-refused.ts'
import { boundRow, type ReportRow } from './report-row.ts'

const maxRows = 10_000
const maxBytes = 5_000_000
const maxColumns = 100
/** What one fetch may hold is bounded by this, the columns, and the length that values are cut to. */
const maxRowsPerFetch = 50
const maxBytesPerFetch = 8_000_000
/** A control character takes as many in JSON. */
const bytesInJson = 6
const maxValueLength = 10_000

export type Report = {
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
  readonly isTruncated: boolean
}

/**
 * The query as one whose rows are JSON, with the values of large rows cut, and with the limit of rows, which the planner
 * is to know of. Its parameter has the statement sent by the extended protocol, which takes a single statement whatever
 * the text holds.
 */
export const asJsonRows = (text: string) => sql`
  select case when octet_length(rows.content::text) <= ${maxValueLength}::int then rows.content::text else (
    select json_object_agg(cell.key, case when length(cell.value::text) > ${maxValueLength}::int
      then to_json(left(cell.value #>> '{}', ${maxValueLength}::int)) else cell.value end)::text
    from json_each(rows.content) as cell
  ) end as content
  from (
    select to_json(muster_report_row) as content from (
${sql.raw(text)}
    ) as muster_report_row limit ${sql.lit(maxRows + 1)}
  ) as rows`

export type Reading = {
  readonly statement: string
  /** The most bytes of a row, by which as many are fetched at a time as this process can hold. */
  readonly rowBytes: number
  /** On performance.now's clock. */
  readonly deadline: number
}

/** Reads the query through a cursor, up to the limits of rows and bytes. */
export async function readReport(tx: Tx, { statement: text, rowBytes, deadline }: Reading): Promise<Report> {
  const fitting = Math.floor(maxBytesPerFetch / (bytesInJson * rowBytes))
  const rowsPerFetch = Math.max(1, Math.min(maxRowsPerFetch, fitting))
  await sql`declare muster_report no scroll cursor for ${asJsonRows(text)}`.execute(tx)
  const [first] = await fetchRows(tx, 1)
  if (first === undefined) return { columns: [], rows: [], isTruncated: false }
  const columns = await columnsOf(tx, first)
  const rows: ReportRow[] = []
  let bytes = 0
  for (let fetched = [first]; fetched.length > 0; fetched = await fetchRows(tx, rowsPerFetch)) {
    for (const content of fetched) {
      const row = boundRow(content)
      bytes += row.bytes
      if (rows.length === maxRows || bytes > maxBytes) return { columns, rows, isTruncated: true }
      rows.push(row)
    }
    if (performance.now() > deadline) refuse('The query took too long.', { isPassing: true })
  }
  return { columns, rows, isTruncated: false }
}

async function fetchRows(tx: Tx, count: number): Promise<string[]> {
  const { rows } = await sql<{ content: string }>`fetch ${sql.lit(count)} from muster_report`.execute(tx)
  return rows.map(({ content }) => content)
}

/** In their order. Read by the database, because a JavaScript object would hide that a name comes twice. */
async function columnsOf(tx: Tx, content: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select json_object_keys(${content}::json) as name`.execute(tx)
  const names = rows.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) refuse(`Two columns are named "${twice}": give one another name with AS.`)
  if (names.length > maxColumns) refuse(`A reporting query may return at most ${maxColumns} columns.`)
  return names
}
