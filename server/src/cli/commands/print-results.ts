import { csvRow } from '@muster/contract/csv-cells.ts'
import type { Reader } from '../../base/db/transact.ts'
import { listResults, placeOfResult, type QueryRow } from '../../reporting/queries/queries.ts'
import type { CommandIo } from '../data-command.ts'
import { alignColumns } from '../table.ts'

type Printed = { organizationId: string; query: QueryRow; format: 'table' | 'csv' | 'json'; now: string }
type Row = Readonly<Record<string, unknown>>

/** The rows of the query's latest run: as columns, as comma-separated values (RFC 4180), or as a JSON list. */
export async function printResults(reader: Reader, printed: Printed, io: CommandIo): Promise<void> {
  const { column_names: columns } = printed.query
  if (printed.format === 'json') return printJson(rowsOf(reader, printed), io)
  // The columns of a query without rows are not known.
  if (columns.length === 0) return
  if (printed.format === 'csv') {
    await io.line(csvRow(columns))
    for await (const row of rowsOf(reader, printed)) await io.line(csvRow(columns.map((name) => csvCell(row[name]))))
    return
  }
  const lines: (string | null)[][] = []
  for await (const row of rowsOf(reader, printed)) lines.push(columns.map((name) => tableCell(row[name])))
  for (const line of alignColumns(columns, lines)) await io.line(line)
}

const rowsPerPage = 100

async function* rowsOf(reader: Reader, { organizationId, query, now }: Printed): AsyncGenerator<Row> {
  const page = { organizationId, params: { queryId: query.id }, search: undefined, order: 'ascending', now } as const
  for (let after: string | undefined; ; ) {
    const rows = await listResults(reader, { ...page, after, limit: rowsPerPage + 1 })
    for (const { content } of rows.slice(0, rowsPerPage)) yield content
    const last = rows[rowsPerPage - 1]
    if (rows.length <= rowsPerPage || !last) return
    after = placeOfResult(last)
  }
}

async function printJson(rows: AsyncGenerator<Row>, io: CommandIo): Promise<void> {
  let separator = '['
  for await (const row of rows) {
    await io.line(`${separator}${JSON.stringify(row)}`)
    separator = ','
  }
  await io.line(separator === '[' ? '[]' : ']')
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

const csvCell = (value: unknown): string | number => (typeof value === 'number' ? value : textOf(value))

const widestCell = 60

function tableCell(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = textOf(value)
  return text.length > widestCell ? `${text.slice(0, widestCell)}…` : text
}
