import { isStorable } from '../../base/storable.ts'
/** A quoted text. Throws for NUL, which ends SQL text for SQLite, and for text that UTF-8 cannot hold. */
export function textLiteral(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a text is needed')
  if (!isStorable(value)) throw new Error('the text cannot be written in SQL')
  return `'${value.replaceAll("'", "''")}'`
}

/** A whole number; a negative one stands in parentheses, since with a minus before it a comment would start. */
export function integerLiteral(value: unknown): string {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Error('a whole number is needed')
  return value < 0 ? `(${value})` : String(value)
}

/** Literals joined by commas, for IN (…). An empty list is a space: SQLite allows IN ( ). */
export function listLiteral(value: unknown): string {
  return arrayOf(value).map(scalarLiteral).join(', ') || ' '
}

/**
 * Parenthesised rows joined by commas, for VALUES …: of records the named columns in that order, of plain values one
 * column. Throws for an empty list, because VALUES needs a row.
 */
export function rowsLiteral(value: unknown, ...columns: unknown[]): string {
  const rows = arrayOf(value)
  if (rows.length === 0) throw new Error('sql_rows needs at least one row')
  return rows.map((row) => `(${rowLiteral(row, columns)})`).join(', ')
}

function rowLiteral(row: unknown, columns: unknown[]): string {
  if (columns.length === 0) return scalarLiteral(row)
  return columns.map((column) => scalarLiteral(readColumn(row, column))).join(', ')
}

function readColumn(row: unknown, column: unknown): unknown {
  if (typeof column !== 'string' || typeof row !== 'object' || row === null || !Object.hasOwn(row, column)) {
    throw new Error(`sql_rows finds no column ${column}`)
  }
  return (row as Record<string, unknown>)[column]
}

function arrayOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('a list is needed')
  return value
}

function scalarLiteral(value: unknown): string {
  return typeof value === 'number' ? integerLiteral(value) : textLiteral(value)
}
