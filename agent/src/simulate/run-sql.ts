import { DatabaseSync } from 'node:sqlite'
import { osqueryColumns } from '@muster/contract/osquery-schema.ts'
import type { Platform } from './operating-systems.ts'
import { addOsqueryFunctions } from './osquery-functions.ts'

export type TableRow = Record<string, string | number | null>
/** Rows by table name. A table that osquery has on the platform and that has no entry is empty. */
export type TableSet = Record<string, readonly TableRow[]>

/** Rows as osquery sends them: every value a string, NULL as the empty string. */
export type SqlOutcome = { rows: Record<string, string>[]; message: '' } | { rows: []; message: string }

const rowLimit = 1000

/**
 * Runs one osquery SELECT over the given rows. A SQL error, also `no such table: x`, comes back as the message.
 * Only the tables the text names are made, which keeps a run near a millisecond.
 */
export function runSql(sql: string, platform: Platform, tables: TableSet): SqlOutcome {
  // The text comes from the server: it may read these tables and do nothing else, such as ATTACH a file.
  if (!/^\s*(?:select|with|values)\b/i.test(sql)) return { rows: [], message: 'only SELECT is answered' }
  const database = new DatabaseSync(':memory:')
  try {
    addOsqueryFunctions(database)
    for (const table of mentionedTables(sql, platform)) fillTable(database, table, tables[table] ?? [])
    return { rows: rowsOf(database, sql), message: '' }
  } catch (error) {
    return { rows: [], message: error instanceof Error ? error.message : String(error) }
  } finally {
    database.close()
  }
}

/** The platform's tables whose names stand in the text as words, outside literals and comments. */
export function mentionedTables(sql: string, platform: Platform): string[] {
  const words = new Set(
    withoutLiterals(sql)
      .toLowerCase()
      .match(/[a-z_][a-z0-9_]*/g),
  )
  return [...words].filter((word) => osqueryColumns(word, platform)).sort()
}

function withoutLiterals(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
}

function fillTable(database: DatabaseSync, table: string, rows: readonly TableRow[]) {
  const names = [...(osqueryColumns(table)?.keys() ?? [])]
  database.exec(`CREATE TABLE "${table}" (${names.map((name) => `"${name}"`).join(', ')})`)
  const insert = database.prepare(`INSERT INTO "${table}" VALUES (${names.map(() => '?').join(', ')})`)
  for (const row of rows) insert.run(...names.map((name) => row[name] ?? null))
}

function rowsOf(database: DatabaseSync, sql: string): Record<string, string>[] {
  const rows: Record<string, string>[] = []
  for (const row of database.prepare(sql).iterate()) {
    rows.push(
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)])),
    )
    if (rows.length >= rowLimit) break
  }
  return rows
}
