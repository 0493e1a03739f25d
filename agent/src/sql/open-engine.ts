import { notCollectedMessage, QueryTooSlow } from '../tables/not-collected.ts'
import type { AgentFacts, Table } from '../tables/table.ts'
import { takeDoubleQuotesAsText } from './double-quoted-text.ts'
import { registerFunctions } from './register-functions.ts'
import {
  openSqlite,
  SQLITE_DENY,
  SQLITE_DONE,
  SQLITE_INTERRUPT,
  SQLITE_OK,
  SQLITE_ROW,
  type Sqlite,
  withCString,
} from './sqlite.ts'
import { type Run, virtualTable } from './virtual-table.ts'

/** The answer to one query: rows of strings, or the reason that there are none. */
export type QueryAnswer =
  | { ok: true; rows: Record<string, string>[]; cost: QueryCost }
  | { ok: false; message: string; cost: QueryCost }

/** Wall time and processor time in ms, and the growth of the heap in bytes. */
export type QueryCost = { wallTimeMs: number; userMs: number; systemMs: number; memoryBytes: number }

export type Engine = {
  run: (sql: string, facts: AgentFacts, limitMs: number) => QueryAnswer
}

const ACTION_PRAGMA = 19
const ACTION_READ = 20
const ACTION_SELECT = 21
const ACTION_FUNCTION = 31
const ACTION_RECURSIVE = 33
/** The pragmas that only describe a table. */
const harmlessPragmas = new Set(['table_info', 'table_xinfo', 'table_list'])
/** A result beyond this is an error rather than a process out of memory; a scheduled line is far smaller. */
const maxResultCharacters = 64 * 1024 * 1024

/**
 * Opens a SQL engine over `tables`. `uid` is the user the agent runs as, undefined where there are none.
 * Queries are read only.
 */
export async function openEngine(tables: Table[], uid: number | undefined): Promise<Engine> {
  const sqlite = await openSqlite()
  const byName = new Map(tables.map((table) => [table.name, table]))
  const named = new Set<string>()
  let run: Run | undefined
  const currentRun = () => {
    if (!run) throw new Error('no query is running')
    return run
  }
  for (const table of tables) {
    sqlite.api.create_module(sqlite.db, table.name, virtualTable(sqlite, table, currentRun), null)
  }
  registerFunctions(sqlite)
  takeDoubleQuotesAsText(sqlite)
  allowReadingOnly(sqlite, named)
  return {
    run(sql, facts, limitMs) {
      const meter = startMeter()
      const deadline = performance.now() + limitMs
      const tooSlow = () => new QueryTooSlow(`query interrupted after ${limitMs / 1000} s`)
      const remainingMs = () => {
        const left = deadline - performance.now()
        if (left <= 0) throw tooSlow()
        return left
      }
      run = { query: { now: new Date(), facts, remainingMs }, collected: new Map(), lookups: new Map() }
      named.clear()
      sqlite.api.progress_handler(sqlite.db, 1000, () => (performance.now() > deadline ? 1 : 0), null)
      try {
        const refuse = () => refusalOf(named, byName, uid)
        return { ok: true, rows: execute(sqlite, sql, run, refuse, tooSlow), cost: meter() }
      } catch (error) {
        return { ok: false, message: error instanceof Error ? error.message : String(error), cost: meter() }
      } finally {
        run = undefined
      }
    },
  }
}

/** Lets SELECT through and nothing else, and notes in `named` every table that a statement names. */
function allowReadingOnly(sqlite: Sqlite, named: Set<string>): void {
  const reading = [ACTION_READ, ACTION_SELECT, ACTION_FUNCTION, ACTION_RECURSIVE]
  sqlite.api.set_authorizer(
    sqlite.db,
    (_data, action, subject) => {
      if (action === ACTION_READ && subject) named.add(subject)
      if (action === ACTION_PRAGMA) return harmlessPragmas.has(subject ?? '') ? SQLITE_OK : SQLITE_DENY
      return reading.includes(action) ? SQLITE_OK : SQLITE_DENY
    },
    null,
  )
}

/** Naming a table that is not collected is enough: a query that happens not to read it must not pass either. */
function refusalOf(named: Set<string>, byName: Map<string, Table>, uid: number | undefined): string | undefined {
  for (const name of named) {
    const reason = byName.get(name)?.notCollected?.(uid)
    if (reason !== undefined) return notCollectedMessage(name, reason)
  }
  return undefined
}

function execute(
  sqlite: Sqlite,
  sql: string,
  run: Run,
  refuse: () => string | undefined,
  tooSlow: () => Error,
): Record<string, string>[] {
  const { module } = sqlite
  return withCString(module, sql, (pointer) => {
    const slots = module._sqlite3_malloc(8)
    try {
      let rows: Record<string, string>[] = []
      let rest = pointer
      // As osquery: the statements run in turn and the rows of the last one are the answer.
      for (;;) {
        check(sqlite, module._sqlite3_prepare_v2(sqlite.db, rest, -1, slots, slots + 4), SQLITE_OK, run, tooSlow)
        const statement = module.getValue(slots, '*')
        if (statement === 0) return rows
        rest = module.getValue(slots + 4, '*')
        try {
          const refusal = refuse()
          if (refusal !== undefined) throw new Error(refusal)
          rows = stepThrough(sqlite, statement, run, tooSlow)
        } finally {
          module._sqlite3_finalize(statement)
        }
      }
    } finally {
      module._sqlite3_free(slots)
    }
  })
}

function stepThrough(sqlite: Sqlite, statement: number, run: Run, tooSlow: () => Error): Record<string, string>[] {
  const { module } = sqlite
  const names: string[] = []
  for (let column = 0; column < module._sqlite3_column_count(statement); column += 1) {
    names.push(module.UTF8ToString(module._sqlite3_column_name(statement, column)))
  }
  const rows: Record<string, string>[] = []
  let characters = 0
  for (;;) {
    const result = module._sqlite3_step(statement)
    if (result !== SQLITE_ROW) {
      check(sqlite, result, SQLITE_DONE, run, tooSlow)
      return rows
    }
    const row: Record<string, string> = {}
    names.forEach((name, column) => {
      // SQLite's own text of a value is what osquery sends; NULL is ''.
      const text = module.UTF8ToString(module._sqlite3_column_text(statement, column))
      characters += text.length
      row[name] = text
    })
    if (characters > maxResultCharacters) throw new Error('the result is larger than 64 MiB')
    rows.push(row)
  }
}

function check(sqlite: Sqlite, result: number, expected: number, run: Run, tooSlow: () => Error): void {
  if (run.error) throw run.error
  if (result === expected) return
  if (result === SQLITE_INTERRUPT) throw tooSlow()
  throw new Error(sqlite.module.UTF8ToString(sqlite.module._sqlite3_errmsg(sqlite.db)))
}

function startMeter(): () => QueryCost {
  const wall = performance.now()
  const cpu = process.threadCpuUsage()
  const heap = process.memoryUsage().heapUsed
  return () => {
    const used = process.threadCpuUsage(cpu)
    return {
      wallTimeMs: Math.round(performance.now() - wall),
      userMs: Math.round(used.user / 1000),
      systemMs: Math.round(used.system / 1000),
      memoryBytes: Math.max(0, process.memoryUsage().heapUsed - heap),
    }
  }
}
