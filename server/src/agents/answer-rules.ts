import type { CheckOutcome, CheckRow } from '../checks/rules.ts'

/** One query's share of a distributed write. */
export type QueryAnswer = { name: string; outcome: CheckOutcome }

const mostNames = 1_000
const mostRows = 1_000
const mostColumns = 200
const longestName = 256
const longestValue = 4_096
const longestMessage = 2_000
const notCollected = 'not collected: '

type Fields = Record<string, unknown>

/**
 * Reads a distributed write as leniently as agents write them: statuses as numbers or texts or not at all, an empty
 * text instead of no rows, values of any kind.
 */
export function readAnswers(body: unknown): QueryAnswer[] {
  const { queries, statuses, messages } = fieldsOf(body)
  const [rowsByName, statusByName, messageByName] = [fieldsOf(queries), fieldsOf(statuses), fieldsOf(messages)]
  const names = new Set([...Object.keys(rowsByName), ...Object.keys(statusByName)])
  return [...names].slice(0, mostNames).map((name) => ({
    name,
    outcome: outcomeOf(own(rowsByName, name), own(statusByName, name), own(messageByName, name)),
  }))
}

/** How many rows the agent sent for a query, and whether those that are read lose columns or the end of a value. */
export function lossOf(body: unknown, name: string): { rowCount: number; isCut: boolean } {
  const rows = rowsIn(own(fieldsOf(fieldsOf(body)['queries']), name))
  const isCut = rows.slice(0, mostRows).some((row) => {
    const columns = Object.entries(row)
    return (
      columns.length > mostColumns ||
      columns.some(([column, value]) => column.length > longestName || valueText(value).length > longestValue)
    )
  })
  return { rowCount: rows.length, isCut }
}

function outcomeOf(rows: unknown, status: unknown, message: unknown): CheckOutcome {
  if (isSuccess(status)) return { kind: 'rows', rows: rowsOf(rows) }
  const text = storable(typeof message === 'string' ? message : '', longestMessage)
  // The bundled agent says so of tables it does not have; osquery itself never does.
  if (text.startsWith(notCollected)) return { kind: 'not_collected', message: text }
  return { kind: 'error', message: text || `The query failed with status ${storable(String(status), 40)}` }
}

const isSuccess = (status: unknown): boolean => status === undefined || status === null || Number(status) === 0

/** A SELECT has a column: what has none is no row. */
const rowsIn = (rows: unknown): Fields[] =>
  Array.isArray(rows) ? rows.map(fieldsOf).filter((row) => Object.keys(row).length > 0) : []

function rowsOf(rows: unknown): CheckRow[] {
  return rowsIn(rows)
    .slice(0, mostRows)
    .map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .slice(0, mostColumns)
          .map(([column, value]) => [storable(column, longestName), storable(valueText(value), longestValue)]),
      ),
    )
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Text that a database can hold: no NUL, no half of a surrogate pair, also not at the cut. */
function storable(text: string, longest: number): string {
  const cut = text.length > longest ? text.slice(0, longest) : text
  return (cut.includes('\0') ? cut.replaceAll('\0', '') : cut).toWellFormed()
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)
