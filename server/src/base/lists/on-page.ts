import { type SelectQueryBuilder, sql } from 'kysely'
import { afterCursor, inKeysetOrder, type Keyset } from './keyset.ts'
import type { SearchExpression } from './search-expression.ts'
import { type SearchColumn, whereSearch } from './where-search.ts'

/** What a row of a page is found by: its identifier, or a sort key as `afterCursor` takes it. */
type Place = string | readonly (string | null)[] | undefined

/** For `$call`: the next rows of a query, at most so many, in the order of the keyset. */
export const nextRows =
  (keyset: Keyset, after: Place, limit: number) =>
  <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): SelectQueryBuilder<DB, TB, Row> =>
    query
      .where(afterCursor(keyset, typeof after === 'string' ? [after] : after))
      .$call(inKeysetOrder(keyset))
      .limit(sql.lit(limit))

type Asked = { readonly search: SearchExpression | undefined; readonly after: Place; readonly limit: number }

/** For `$call`: the rows of a page, those of its search alone. */
export const onPage =
  ({ search, after, limit }: Asked, keyset: Keyset, columns: Readonly<Record<string, SearchColumn>>) =>
  <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): SelectQueryBuilder<DB, TB, Row> =>
    (search ? query.where(whereSearch(search, columns)) : query).$call(nextRows(keyset, after, limit))
