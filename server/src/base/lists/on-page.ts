import { type SelectQueryBuilder, sql } from 'kysely'
import { afterCursor, inKeysetOrder, type Keyset } from './keyset.ts'
import type { ListPage } from './list-page.ts'
import { type SearchColumn, whereSearch } from './where-search.ts'

type Asked = Pick<ListPage, 'search' | 'after' | 'limit'>

/** For `$call`: of the rows of a query those of a page, which its search finds, in the order of the keyset. */
export const onPage =
  ({ search, after, limit }: Asked, keyset: Keyset, columns: Readonly<Record<string, SearchColumn>>) =>
  <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): SelectQueryBuilder<DB, TB, Row> => {
    const found = search ? query.where(whereSearch(search, columns)) : query
    return found
      .where(afterCursor(keyset, after === undefined ? undefined : [after]))
      .$call(inKeysetOrder(keyset))
      .limit(sql.lit(limit))
  }
