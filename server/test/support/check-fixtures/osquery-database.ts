import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { osqueryColumns, osquerySchema } from '@muster/contract/osquery-schema.ts'

export type Tables = Record<string, Record<string, string | number>[]>
/** What stands where a fixture names no value: osquery gives '' in text columns, other agents may give NULL. */
export type MissingText = '' | null

/**
 * Runs `sql` on osquery-shaped tables holding `tables`, with the columns of every platform; tables that it does not name are
 * empty.
 */
export function answerQuery(
  sql: string,
  tables: Tables,
  missingText: MissingText = '',
): Record<string, SQLOutputValue>[] {
  const database = new DatabaseSync(':memory:')
  try {
    database.function('version_compare', { deterministic: true }, compareVersions)
    const words = new Set(sql.toLowerCase().match(/[a-z_][a-z0-9_]*/g))
    const named = new Set([
      ...Object.keys(osquerySchema.tables).filter((table) => words.has(table)),
      ...Object.keys(tables),
    ])
    for (const table of named) {
      const list = [...columnsOf(table)].map(([name, type]) => `"${name}" ${type}`)
      database.exec(`CREATE TABLE "${table}" (${list.join(', ')})`)
    }
    for (const [table, rows] of Object.entries(tables)) insertRows(database, table, rows, missingText)
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}

function columnsOf(table: string) {
  const columns = osqueryColumns(table)
  if (!columns) throw new Error(`${table} is no table of osquery`)
  return columns
}

function insertRows(database: DatabaseSync, table: string, rows: Tables[string], missingText: MissingText): void {
  const columns = columnsOf(table)
  const names = [...columns.keys()]
  const insert = database.prepare(`INSERT INTO "${table}" VALUES (${names.map(() => '?').join(', ')})`)
  for (const row of rows) {
    const unknown = Object.keys(row).find((name) => !columns.has(name))
    if (unknown !== undefined) throw new Error(`${table} has no column ${unknown}`)
    insert.run(...names.map((name) => asOsqueryGives(row[name], columns.get(name) === 'TEXT', missingText)))
  }
}

/** A table of osquery hands every value over as text; in a column of numbers, what is no number is NULL. */
function asOsqueryGives(value: string | number | undefined, isText: boolean, missingText: MissingText) {
  if (isText) return value ?? missingText
  return value === undefined || !/^\s*-?\d+\s*$/.test(String(value)) ? null : Number(value)
}

/** As osquery's version_compare: numbers by value, and of two versions with one beginning the longer one is newer. */
function compareVersions(left: SQLOutputValue, right: SQLOutputValue): number | null {
  if (left === null || right === null) return null
  const [a, b] = [String(left).match(/\d+|[a-z]+/gi) ?? [], String(right).match(/\d+|[a-z]+/gi) ?? []]
  for (const [index, part] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = comparePart(part, other)
    if (order !== 0) return order
  }
  return a.length === b.length ? 0 : -1
}

function comparePart(left: string, right: string): number {
  const numeric = Number(left) - Number(right)
  if (!Number.isNaN(numeric)) return Math.sign(numeric)
  return left === right ? 0 : left < right ? -1 : 1
}
