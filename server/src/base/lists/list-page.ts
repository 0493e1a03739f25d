import type { SearchExpression } from './search-expression.ts'

/** What a list's query is asked for. */
export type ListPage<Params = Readonly<Record<string, string>>> = {
  readonly organizationId: string
  /** The path's parameters: of a nested list, its parents. */
  readonly params: Params
  readonly search: SearchExpression | undefined
  /** The value of the list's key (its `cursorOf`) in the last row of the page before; undefined for the first page. */
  readonly after: string | undefined
  /** How many rows to fetch at most: one more than the page holds, which only tells that there are more. */
  readonly limit: number
  readonly order: 'ascending' | 'descending'
  readonly now: string
}
