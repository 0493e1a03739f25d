import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { containsFolded, folded, foldedPattern } from '../db/folded.ts'
import { foldText } from '../fold-text.ts'
import type { SearchClause, SearchExpression, SearchValue } from './search-expression.ts'

/** What a searchable field is in the database. Reals and other integers count as `bigint` only when they are whole. */
export type SearchColumn = {
  /** `'devices.name'`, or SQL of one's own such as `sql`array(select …)``. Never made of what a caller sent. */
  readonly column: string | Expression<unknown>
  readonly type: 'text' | 'bigint' | 'uuid' | 'boolean' | 'timestamptz' | 'text[]'
  /** The stored form of an exact value where it is not the wire's, such as an enum's; undefined matches nothing. */
  readonly storedValue?: (value: string) => string | undefined
  /** Where the column is another table's: which column refers to it, and which rows refer to one that meets a condition. */
  readonly elsewhere?: {
    readonly reference: string
    readonly refersTo: (condition: RawBuilder<SqlBool>) => RawBuilder<SqlBool>
  }
}

/** A column for every searchable field of a record. */
export type SearchColumns<Fields> = { readonly [Name in keyof Fields]: SearchColumn }

/**
 * The condition of a parsed search; every value is a parameter. NULL matches only `:null`.
 *
 * Text is compared folded (`foldText`), which gin_trgm_ops indexes on `folded(column)` serve; where case counts, in Unicode's
 * NFC.
 */
export function whereSearch<Names extends string>(
  expression: SearchExpression,
  columns: Readonly<Record<Names, SearchColumn>>,
): RawBuilder<SqlBool> {
  const columnOf = new Map<string, SearchColumn>(Object.entries(columns))
  const groups = expression.map((clauses) => {
    const conditions = clauses.map((clause) => {
      const column = columnOf.get(clause.field)
      if (!column) throw new Error(`No column is mapped to the search field ${clause.field}`)
      return conditionOf(clause, column)
    })
    return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
  })
  return sql<SqlBool>`(${sql.join(groups, sql` or `)})`
}

function conditionOf(clause: SearchClause, { elsewhere, ...column }: SearchColumn): RawBuilder<SqlBool> {
  if (!elsewhere) return comparison(clause, column)
  if (clause.value === null) return sql`${sql.ref(elsewhere.reference)} is null`
  return elsewhere.refersTo(comparison(clause, column))
}

function comparison(
  clause: SearchClause,
  { column: reference, type, storedValue }: Omit<SearchColumn, 'elsewhere'>,
): RawBuilder<SqlBool> {
  const column = typeof reference === 'string' ? sql.ref(reference) : reference
  const { operator, value } = clause
  if (value === null) return sql`${column} is null`
  if (typeof value === 'boolean') return sql`${column} = ${value}::boolean`
  if (operator === ':') {
    const stored = storableValues(value, type, storedValue)
    if (stored.length === 0) return sql`false`
    return type === 'text[]' ? listContains(column, stored, clause) : equals(column, stored, type, clause)
  }
  const text = String(value)
  if (operator === '~') return contains(column, text, type)
  // One of the operators of the language, all of which SQL writes alike.
  return sql`${column} ${sql.raw(operator)} ${text}::timestamptz`
}

/** The values a column of this type can hold: what it cannot hold it does not equal, and a cast would fail. */
function storableValues(
  value: Exclude<SearchValue, null | boolean>,
  type: SearchColumn['type'],
  storedValue: SearchColumn['storedValue'],
): string[] {
  const values = typeof value === 'string' ? [value] : value
  const stored = storedValue ? values.map(storedValue).filter((one) => one !== undefined) : [...values]
  if (type === 'bigint') return stored.filter(isBigint)
  if (type === 'uuid') return stored.filter((one) => uuidShape.test(one))
  return stored
}

const uuidShape = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const largestBigint = 9_223_372_036_854_775_807n

/** An identifier as we write it: no sign, no leading zero, within bigint. */
function isBigint(text: string): boolean {
  return /^(?:0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= largestBigint
}

function equals(
  column: Expression<unknown>,
  values: string[],
  type: Exclude<SearchColumn['type'], 'text[]'>,
  { ignoreCase }: SearchClause,
): RawBuilder<SqlBool> {
  const cast = sql.raw(type)
  const isIn = (one: Expression<unknown>, wanted: string[]) =>
    wanted.length === 1
      ? sql<SqlBool>`${one} = ${wanted[0]}::${cast}`
      : sql<SqlBool>`${one} = any(${wanted}::${cast}[])`
  if (type !== 'text') return isIn(column, values)
  const isLike = isIn(folded(column), values.map(foldText))
  if (ignoreCase) return isLike
  // ASCII is in NFC, and so is what equals it: an index on the column itself serves, too.
  const isAscii = values.every((value) => /^[ -~]*$/.test(value))
  const exact = isAscii ? column : sql`normalize(${column}, nfc)`
  return sql`(${isLike} and ${isIn(
    exact,
    values.map((value) => value.normalize('NFC')),
  )})`
}

function listContains(column: Expression<unknown>, values: string[], clause: SearchClause): RawBuilder<SqlBool> {
  if (!clause.ignoreCase) return sql`${column} && ${values}::text[]`
  return sql`exists (select from unnest(${column}) as item where folded(item) = any(${values.map(foldText)}::text[]))`
}

function contains(column: Expression<unknown>, text: string, type: SearchColumn['type']): RawBuilder<SqlBool> {
  if (type === 'text') return containsFolded(column, text)
  const pattern = foldedPattern(text)
  if (type === 'text[]') return sql`exists (select from unnest(${column}) as item where folded(item) like ${pattern})`
  return sql`${column}::text like ${pattern}`
}
