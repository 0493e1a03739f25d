import { NotCollected, notCollectedMessage, QueryTooSlow } from '../tables/not-collected.ts'
import type { ColumnType, Constraint, Query, Row, SqlValue, Table } from '../tables/table.ts'
import { type PlannedUse, planQuery, readPlan } from './query-plan.ts'
import { SQLITE_ERROR, SQLITE_OK, type Sqlite, type VirtualTableModule } from './sqlite.ts'

/** State of the query that runs now; tables are collected once per query and set of conditions. */
export type Run = {
  query: Query
  collected: Map<string, Row[]>
  lookups: Map<string, Map<string, Row[]>>
  error?: Error
}

type Cursor = { rows: Row[]; at: number }

/** Makes `table` readable by SQL. `currentRun` gives the query that runs now. */
export function virtualTable(sqlite: Sqlite, table: Table, currentRun: () => Run): VirtualTableModule {
  const names = Object.keys(table.columns)
  const declaration = Object.entries(table.columns).map(([name, type]) => `"${name}" ${type}`)
  const cursors = new Map<number, Cursor>()
  return {
    xConnect(db) {
      sqlite.api.declare_vtab(db, `CREATE TABLE x(${declaration.join(', ')})`)
      return SQLITE_OK
    },
    xBestIndex: (_table, info) => planQuery(table, names, info),
    xDisconnect: () => SQLITE_OK,
    xDestroy: () => SQLITE_OK,
    xFilter(cursor, _idxNum, idxStr, values) {
      const run = currentRun()
      try {
        // The arguments live in WebAssembly memory, which moves when it grows: copy them first.
        const given = Array.from(values).map((pointer) => plainValue(sqlite.api.value(pointer)))
        cursors.set(cursor, { rows: rowsFor(table, readPlan(idxStr), given, run), at: 0 })
        return SQLITE_OK
      } catch (error) {
        run.error = describeFailure(table, error)
        return SQLITE_ERROR
      }
    },
    ...cursorMethods(sqlite, table, names, cursors),
  }
}

type CursorMethods = Pick<VirtualTableModule, 'xOpen' | 'xClose' | 'xNext' | 'xEof' | 'xColumn' | 'xRowid'>

function cursorMethods(sqlite: Sqlite, table: Table, names: string[], cursors: Map<number, Cursor>): CursorMethods {
  const types = Object.values(table.columns)
  return {
    xOpen(_table, cursor) {
      cursors.set(cursor, { rows: [], at: 0 })
      return SQLITE_OK
    },
    xClose(cursor) {
      cursors.delete(cursor)
      return SQLITE_OK
    },
    xNext(cursor) {
      const state = cursors.get(cursor)
      if (state) state.at += 1
      return SQLITE_OK
    },
    xEof(cursor) {
      const state = cursors.get(cursor)
      return state && state.at < state.rows.length ? 0 : 1
    },
    xColumn(cursor, context, column) {
      const state = cursors.get(cursor)
      const value = typed(state?.rows[state.at]?.[names[column] ?? ''], types[column])
      if (types[column] === 'DOUBLE' && value !== null) sqlite.api.result_double(context, Number(value))
      else sqlite.api.result(context, value)
      return SQLITE_OK
    },
    xRowid(cursor, rowid) {
      rowid.setBigInt64(0, BigInt(cursors.get(cursor)?.at ?? 0), true)
      return SQLITE_OK
    },
  }
}

function rowsFor(table: Table, uses: PlannedUse[], given: SqlValue[], run: Run): Row[] {
  const constraints: Constraint[] = []
  let lookup: { column: string; value: SqlValue } | undefined
  uses.forEach((use, index) => {
    const value = given[index] ?? null
    if (use.by === 'table') constraints.push({ column: use.column, op: use.op, value })
    else lookup = { column: use.column, value }
  })
  // `column = NULL` and `column LIKE NULL` are never true.
  if (constraints.some((each) => each.value === null) || lookup?.value === null) return []
  if (table.constraintRequired && constraints.length === 0) {
    throw new Error(`table ${table.name} needs a condition on ${Object.keys(table.pushed ?? {}).join(' or ')}`)
  }
  const key = [table.name, ...constraints.map((each) => `${each.column} ${each.op} ${each.value}`)].join('\n')
  const rows = collectOnce(table, constraints, key, run)
  return lookup ? lookedUp(rows, table, lookup.column, lookup.value, key, run) : rows
}

function collectOnce(table: Table, constraints: Constraint[], key: string, run: Run): Row[] {
  const known = run.collected.get(key)
  if (known) return known
  const rows: Row[] = []
  for (const row of table.collect(constraints, run.query)) {
    if (rows.push(row) % 256 === 0) run.query.remainingMs()
  }
  run.query.remainingMs()
  run.collected.set(key, rows)
  return rows
}

function lookedUp(rows: Row[], table: Table, column: string, value: SqlValue, key: string, run: Run): Row[] {
  const type = table.columns[column]
  const lookupKey = `${key}\n\n${column}`
  let byValue = run.lookups.get(lookupKey)
  if (!byValue) {
    byValue = Map.groupBy(rows, (row) => looseKey(row[column] ?? null, type))
    run.lookups.set(lookupKey, byValue)
  }
  return byValue.get(looseKey(value, type)) ?? []
}

/**
 * SQLite checks every row again, so the lookup may find too many but never too few: case and trailing
 * space are dropped because the condition may carry COLLATE NOCASE or RTRIM, which xBestIndex is not told.
 */
function looseKey(value: SqlValue, type: ColumnType | undefined): string {
  if (type !== 'TEXT') {
    const number = typed(value, type)
    return number === null ? '' : String(Number(number))
  }
  return String(value ?? '')
    .toLowerCase()
    .trimEnd()
}

/** Numbers keep their type in SQL; anything beyond 32 bits goes as int64, since the wrapper would make it a double. */
function typed(value: SqlValue | undefined, type: ColumnType | undefined): SqlValue {
  if (value === undefined || value === null) return null
  if (type === 'TEXT') return String(value)
  if (value === '') return null
  const number = typeof value === 'string' ? readNumber(value) : value
  if (typeof number !== 'number') return number
  if (type === 'DOUBLE' || !Number.isInteger(number)) return number
  return number === (number | 0) ? number : BigInt(number)
}

function readNumber(text: string): SqlValue {
  if (/^-?\d+$/.test(text)) {
    const exact = BigInt(text)
    return exact >= -0x80000000n && exact <= 0x7fffffffn ? Number(exact) : BigInt.asIntN(64, exact)
  }
  const number = Number(text)
  return Number.isNaN(number) ? text : number
}

function plainValue(value: SqlValue | Uint8Array): SqlValue {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value
}

function describeFailure(table: Table, error: unknown): Error {
  if (error instanceof QueryTooSlow) return error
  if (error instanceof NotCollected) return new Error(notCollectedMessage(table.name, error.reason))
  return error instanceof Error ? error : new Error(String(error))
}
