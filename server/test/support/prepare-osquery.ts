import { registerFunctions } from '@muster/agent/sql/register-functions.ts'
import {
  type IndexInfo,
  openSqlite,
  SQLITE_CONSTRAINT,
  SQLITE_OK,
  type Sqlite,
  type VirtualTableModule,
  withCString,
} from '@muster/agent/sql/sqlite.ts'
import { type OsqueryPlatform, osqueryColumns, osquerySchema } from '@muster/contract/osquery-schema.ts'

/** Names of the result, and what SQLite reads for it, each as "table.column". */
export type Prepared = { columns: string[]; reads: string[] }
type ColumnsOf = (
  table: string,
  platform: OsqueryPlatform,
) => Iterable<readonly [name: string, type: string]> | undefined

const actionRead = 20
/** From here on a constraint is LIMIT or OFFSET, and its column says nothing (`SQLITE_INDEX_CONSTRAINT_LIMIT`). */
const firstWithoutColumn = 73

/**
 * Prepares statements over the tables that osquery has on one platform, as osquery does: virtual tables, of which some answer
 * only with a condition on a required column. Prepares only: nothing runs. Throws SQLite's error, such as "no such column: x";
 * for a missing condition "no query solution". Stricter than osquery in one thing: a column that the platform never fills is none.
 */
export async function openOsquery(
  platform: OsqueryPlatform,
  columnsOf: ColumnsOf = osqueryColumns,
): Promise<(sql: string) => Prepared> {
  const sqlite = await openSqlite()
  registerFunctions(sqlite)
  for (const [name, { required }] of Object.entries(osquerySchema.tables)) {
    const columns = columnsOf(name, platform)
    if (columns) sqlite.api.create_module(sqlite.db, name, emptyTable(sqlite, [...columns], required), null)
  }
  const reads = new Set<string>()
  const note = (_: unknown, action: number, table: string | null, column: string | null): number => {
    if (action === actionRead && table && column) reads.add(`${table}.${column}`)
    return SQLITE_OK
  }
  sqlite.api.set_authorizer(sqlite.db, note, null)
  return (sql) => {
    reads.clear()
    return { columns: columnNames(sqlite, sql), reads: [...reads].sort() }
  }
}

function emptyTable(
  sqlite: Sqlite,
  columns: readonly (readonly [name: string, type: string])[],
  required: readonly string[],
): VirtualTableModule {
  const isRequired = ({ iColumn }: IndexInfo['aConstraint'][number]) => required.includes(columns[iColumn]?.[0] ?? '')
  const neverRun = () => {
    throw new Error('statements are only prepared')
  }
  return {
    xConnect(db) {
      sqlite.api.declare_vtab(db, `CREATE TABLE x(${columns.map(([name, type]) => `"${name}" ${type}`).join(', ')})`)
      return SQLITE_OK
    },
    xBestIndex(_, info) {
      const given = info.aConstraint.filter((each) => each.usable && each.op < firstWithoutColumn && isRequired(each))
      if (required.length > 0 && given.length === 0) return SQLITE_CONSTRAINT
      info.estimatedCost = given.length > 0 ? 1 : 1_000_000
      return SQLITE_OK
    },
    xDisconnect: () => SQLITE_OK,
    xDestroy: () => SQLITE_OK,
    ...{ xOpen: neverRun, xClose: neverRun, xFilter: neverRun, xNext: neverRun, xEof: neverRun },
    ...{ xColumn: neverRun, xRowid: neverRun },
  }
}

function columnNames({ module, db }: Sqlite, sql: string): string[] {
  return withCString(module, sql, (text) => {
    const slot = module._sqlite3_malloc(8)
    try {
      if (module._sqlite3_prepare_v2(db, text, -1, slot, slot + 4) !== SQLITE_OK) {
        throw new Error(module.UTF8ToString(module._sqlite3_errmsg(db)))
      }
      const statement = module.getValue(slot, '*')
      const count = module._sqlite3_column_count(statement)
      const names = Array.from({ length: count }, (_, at) =>
        module.UTF8ToString(module._sqlite3_column_name(statement, at)),
      )
      module._sqlite3_finalize(statement)
      return names
    } finally {
      module._sqlite3_free(slot)
    }
  })
}
