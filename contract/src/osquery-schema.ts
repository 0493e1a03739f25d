import schema from './osquery-schema.json' with { type: 'json' }

export type OsqueryPlatform = 'darwin' | 'linux' | 'windows'

type ColumnType = 'TEXT' | 'INTEGER' | 'BIGINT' | 'UNSIGNED_BIGINT' | 'DOUBLE' | 'DATETIME'

export type OsqueryTable = {
  readonly platforms: readonly OsqueryPlatform[]
  /** In the order of `SELECT *`. A column that is filled on some of the table's platforms only says which. */
  readonly columns: Readonly<
    Record<string, ColumnType | { readonly type: ColumnType; readonly platforms: readonly OsqueryPlatform[] }>
  >
  /** Without a condition on one of these columns the table answers nothing. */
  readonly required: readonly string[]
  /** Columns that osquery's description calls deprecated. */
  readonly deprecated?: readonly string[]
}

/**
 * The tables of osquery with their columns, from the table specifications of that version of osquery: `specs/` of its
 * repository, 38 commits after the release 5.23.0. Tables of extensions are not among them.
 */
export const osquerySchema: { readonly version: string; readonly tables: Readonly<Record<string, OsqueryTable>> } =
  schema as { version: string; tables: Record<string, OsqueryTable> }

/**
 * The columns of a table with their types: those that are filled on one platform, or all of them; undefined where there is no
 * such table. What a platform does not fill is there as well, hidden from `SELECT *` and always empty.
 */
export function osqueryColumns(table: string, platform?: OsqueryPlatform): ReadonlyMap<string, ColumnType> | undefined {
  if (!Object.hasOwn(osquerySchema.tables, table)) return undefined
  const { platforms = [], columns = {} } = osquerySchema.tables[table] ?? {}
  if (platform && !platforms.includes(platform)) return undefined
  const found = new Map<string, ColumnType>()
  for (const [name, column] of Object.entries(columns)) {
    if (typeof column === 'string') found.set(name, column)
    else if (!platform || column.platforms.includes(platform)) found.set(name, column.type)
  }
  return found
}
