import { isStorable, storable } from '../../base/storable.ts'
import type { CheckOutcome, CheckRow } from '../../compliance/standing/rules.ts'

/** One query's share of a distributed write. */
export type QueryAnswer = { name: string; outcome: CheckOutcome }

const maxNames = 1_000
const maxRows = 1_000
const maxColumns = 200
const maxNameLength = 256
const maxValueLength = 4_096
const maxMessageLength = 2_000
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
  return [...names].slice(0, maxNames).map((name) => ({
    name,
    outcome: outcomeOf(own(rowsByName, name), own(statusByName, name), own(messageByName, name)),
  }))
}

/** The rows that the agent sent for a live query, read one by one, since there may be many. */
export function liveRowsOf(body: unknown, name: string): { rowCount: number; rows: Iterable<BoundedRow> } {
  const rows = rowsIn(own(fieldsOf(fieldsOf(body)['queries']), name))
  return { rowCount: rows.length, rows: Iterator.from(rows).map(boundedRow) }
}

function outcomeOf(rows: unknown, status: unknown, message: unknown): CheckOutcome {
  if (isSuccess(status)) return { kind: 'rows', rows: rowsOf(rows) }
  const text = storable(typeof message === 'string' ? message : '', maxMessageLength)
  // The bundled agent says so of tables it does not have; osquery itself never does.
  if (text.startsWith(notCollected)) return { kind: 'not_collected', message: text }
  return { kind: 'error', message: text || `The query failed with status ${storable(String(status), 40)}` }
}

const isSuccess = (status: unknown): boolean => status === undefined || status === null || Number(status) === 0

/** A SELECT has a column: what has none is no row. */
const rowsIn = (rows: unknown): Fields[] =>
  Array.isArray(rows) ? rows.map(fieldsOf).filter((row) => Object.keys(row).length > 0) : []

const rowsOf = (rows: unknown): CheckRow[] =>
  rowsIn(rows)
    .slice(0, maxRows)
    .map((row) => (isBounded(row) ? row : boundedRow(row).row))

/** Whether a row can stay as it came, as nearly all: there are thousands a second. */
function isBounded(fields: Fields): fields is CheckRow {
  let columns = 0
  for (const name in fields) {
    const value = fields[name]
    columns += 1
    if (columns > maxColumns || typeof value !== 'string') return false
    if (name.length > maxNameLength || value.length > maxValueLength) return false
    if (!isStorable(name) || !isStorable(value)) return false
  }
  return true
}

/** A row, and whether it has lost columns or the end of a value. */
type BoundedRow = { row: CheckRow; isCut: boolean }

function boundedRow(fields: Fields): BoundedRow {
  const columns = Object.entries(fields)
  const texts = columns.slice(0, maxColumns).map(([name, value]) => [name, valueText(value)] as const)
  const isCut =
    columns.length > maxColumns ||
    texts.some(([name, text]) => name.length > maxNameLength || text.length > maxValueLength)
  const row = texts.map(([name, text]) => [storable(name, maxNameLength), storable(text, maxValueLength)])
  return { row: Object.fromEntries(row), isCut }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)
