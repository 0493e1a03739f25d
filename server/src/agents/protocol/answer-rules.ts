import { isStorable, storable } from '../../base/storable.ts'
import { valueText } from '../../base/value-text.ts'
import type { CheckOutcome, CheckRow } from '../../compliance/standing/rules.ts'

/** One query's share of a distributed write, which is read when it is asked for. */
export type QueryAnswer = { name: string; outcome: () => CheckOutcome }

const maxNames = 1_000
const maxRows = 1_000
const maxColumns = 200
/** Of all rows that a check answers with, beyond the first. */
const [maxCells, maxCharacters] = [50_000, 500_000]
const maxNameLength = 256
const maxValueLength = 4_096
const maxMessageLength = 2_000
const notCollected = 'not collected: '

type Fields = Record<string, unknown>

/**
 * Reads a distributed write as leniently as agents write them: statuses as numbers or texts or not at all, an empty
 * text instead of no rows, values of any kind.
 */
export function* readAnswers(body: unknown): Generator<QueryAnswer> {
  const { queries, statuses, messages } = fieldsOf(body)
  const [rowsByName, statusByName, messageByName] = [fieldsOf(queries), fieldsOf(statuses), fieldsOf(messages)]
  const names = new Set([...Object.keys(rowsByName), ...Object.keys(statusByName)])
  for (const name of Iterator.from(names).take(maxNames)) {
    const outcome = () => outcomeOf(own(rowsByName, name), own(statusByName, name), own(messageByName, name))
    yield { name, outcome }
  }
}

/**
 * What a write that has lost its end still says for certain: the answers that have rows or a status of failure. Whether one
 * without rows has failed may have been in what is lost.
 */
export function wholeAnswers(body: unknown): Fields {
  const fields = fieldsOf(body)
  const [queries, statuses] = [fieldsOf(fields['queries']), fieldsOf(fields['statuses'])]
  const failed = Object.entries(statuses).filter(([, status]) => !isSuccess(status))
  const answered = Object.entries(queries).filter(([, rows]) => rowsIn(rows).some(() => true))
  return { ...fields, queries: Object.fromEntries(answered), statuses: Object.fromEntries(failed) }
}

/** The rows that the agent sent for a live query, read one by one, since there may be many. */
export function liveRowsOf(body: unknown, name: string): { rowCount: number; rows: Iterable<BoundedRow> } {
  const rows = own(fieldsOf(fieldsOf(body)['queries']), name)
  const rowCount = Array.isArray(rows) ? rows.reduce<number>((count, row) => count + (isRow(row) ? 1 : 0), 0) : 0
  return { rowCount, rows: rowsIn(rows).map(boundedRow) }
}

function outcomeOf(rows: unknown, status: unknown, message: unknown): CheckOutcome {
  if (isSuccess(status)) return { kind: 'rows', rows: rowsOf(rows) }
  const text = storable(typeof message === 'string' ? message : '', maxMessageLength)
  // The bundled agent says so of tables it does not have; osquery itself never does.
  if (text.startsWith(notCollected)) return { kind: 'not_collected', message: text }
  return { kind: 'error', message: text || `The query failed with status ${storable(valueText(status), 40)}` }
}

/** osquery sends none for success, or 0 as a number or a text. */
export const isSuccess = (status: unknown): boolean => Number(valueText(status)) === 0

/** A SELECT has a column: what has none is no row. */
function isRow(row: unknown): row is Fields {
  for (const _name in fieldsOf(row)) return true
  return false
}

const rowsIn = (rows: unknown): IteratorObject<Fields> => Iterator.from(Array.isArray(rows) ? rows : []).filter(isRow)

function rowsOf(sent: unknown): CheckRow[] {
  const rows: CheckRow[] = []
  let [cells, characters] = [0, 0]
  for (const fields of rowsIn(sent)) {
    const row = isBounded(fields) ? fields : boundedRow(fields).row
    for (const name in row) {
      cells += 1
      characters += name.length + (row[name]?.length ?? 0)
    }
    const isTooMuch = rows.length === maxRows || cells > maxCells || characters > maxCharacters
    if (isTooMuch && rows.length > 0) break
    rows.push(row)
  }
  return rows
}

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

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)
