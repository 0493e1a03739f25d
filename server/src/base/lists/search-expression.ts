import type { SearchOperator } from '@muster/contract/search.ts'

/** Times are UTC ISO 8601 text with milliseconds; a list means any of its members; null only with `:`. */
export type SearchValue = string | readonly string[] | boolean | null

export type SearchClause = {
  readonly field: string
  readonly operator: SearchOperator
  readonly value: SearchValue
  /** An exact match of text ignores case. */
  readonly ignoreCase?: true
}

/** Any of the groups matches; a group matches when all of its clauses do. Neither level is ever empty. */
export type SearchExpression = readonly (readonly SearchClause[])[]
