import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { CursorError } from './cursor.ts'

export type KeysetColumn = {
  /** `'audit_logs.id'`, or SQL of one's own. */
  readonly column: string | Expression<unknown>
  readonly type: 'bigint' | 'text' | 'timestamptz'
}

/**
 * The total order a list is paged in: by `sort`, if there is one, then by the unique `id`, both in one direction.
 * Nulls stand where PostgreSQL puts them by default: last when ascending, first when descending.
 */
export type Keyset = {
  readonly id: KeysetColumn
  readonly sort?: KeysetColumn & { readonly nullable?: true }
  readonly direction: 'asc' | 'desc'
}

/** What is said of a cursor whose key is of another shape. */
export const otherOrder = 'The cursor belongs to another order of this list; start again without a cursor'

/**
 * The rows beyond a cursor's sort key (`[id]` or `[sort, id]`); every row when there is none. It compares values
 * and never looks for the key's own row, so a row deleted meanwhile does not break the walk. Throws CursorError when the
 * key is of another shape.
 */
export function afterCursor(keyset: Keyset, sortKey: readonly (string | null)[] | undefined): RawBuilder<SqlBool> {
  if (!sortKey) return sql`true`
  const { id, sort, direction } = keyset
  const beyond = sql.raw(direction === 'asc' ? '>' : '<')
  const lastId = sortKey.at(-1)
  if (typeof lastId !== 'string' || sortKey.length !== (sort ? 2 : 1)) {
    throw new CursorError(otherOrder)
  }
  const idBeyond = sql<SqlBool>`${reference(id)} ${beyond} ${parameterOf(id, lastId)}`
  if (!sort) return idBeyond
  const lastSort = sortKey[0] ?? null
  const column = reference(sort)
  if (lastSort === null) {
    return direction === 'asc' ? sql`(${column} is null and ${idBeyond})` : sql`(${column} is not null or ${idBeyond})`
  }
  const pairBeyond = sql<SqlBool>`(${column}, ${reference(id)}) ${beyond} (${parameterOf(sort, lastSort)}, ${parameterOf(id, lastId)})`
  return sort.nullable && direction === 'asc' ? sql`(${pairBeyond} or ${column} is null)` : pairBeyond
}

/** For `$call`: orders a query as its keyset says. */
export function inKeysetOrder({ id, sort, direction }: Keyset) {
  return <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): SelectQueryBuilder<DB, TB, Row> => {
    const sorted = sort ? query.orderBy(reference(sort), direction) : query
    return sorted.orderBy(reference(id), direction)
  }
}

/** The page among rows fetched with a limit of `perPage + 1`: the extra row only tells that there are more. */
export function pageOf<Row>(rows: readonly Row[], perPage: number): { rows: Row[]; hasMore: boolean } {
  return { rows: rows.slice(0, perPage), hasMore: rows.length > perPage }
}

function reference({ column }: KeysetColumn): Expression<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column
}

const instant = /^(-?infinity|\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d(:\d\d)?)?)$/

const isOfType: Readonly<Record<KeysetColumn['type'], (value: string) => boolean>> = {
  bigint: (value) => /^-?\d{1,18}$/.test(value),
  text: (value) => !value.includes('\0'),
  timestamptz: (value) => instant.test(value) && (value.endsWith('infinity') || !Number.isNaN(Date.parse(value))),
}

/** Stands for the key of a page that is not known yet. */
export const keyMark = '\u0000after'

/** Whether a value can be one of a column; a cursor of an order that the list had before may hold others. */
export const isKeyOf = ({ type }: Pick<KeysetColumn, 'type'>, value: string): boolean => isOfType[type](value)

function parameterOf(column: KeysetColumn, value: string): RawBuilder<unknown> {
  const { type } = column
  // The database would not read it, and fail.
  if (value !== keyMark && !isKeyOf(column, value)) throw new CursorError(otherOrder)
  return sql`${value}::${sql.raw(type)}`
}
