import { Readable } from 'node:stream'
import { csvLine } from '@muster/contract/csv-cells.ts'
import type { PathParams } from '@muster/contract/operations/path-params.ts'
import type { FastifyReply } from 'fastify'
import type { ChangeContext } from '../base/change-context.ts'
import type { Db } from '../base/db/transact.ts'
import type { CsvColumns } from '../base/lists/csv-columns.ts'
import { pageOf } from '../base/lists/keyset.ts'
import type { ListPage } from '../base/lists/list-page.ts'

export type CsvCall<Path extends string> = {
  readonly db: Db
  readonly organizationId: string
  readonly params: PathParams<Path>
  readonly context: ChangeContext
  readonly now: string
}

/** What a list needs to be sent as a file. */
export type CsvParts<Path extends string, Row, Options> = {
  /** Without ending. */
  fileName: string | ((options: Options) => string)
  /** Called before the first row is read; says which columns there are. What it refuses is refused in time. */
  begin: (call: CsvCall<Path>, options: Options) => Promise<CsvColumns<Row>>
}

type Source<Path extends string, Row, Options> = {
  csv: CsvParts<Path, Row, Options>
  call: CsvCall<Path>
  options: Options
  search: ListPage['search']
  order: ListPage['order']
  list: (db: Db, page: ListPage<PathParams<Path>>, options: Options) => Promise<readonly Row[]>
  cursorOf: (row: Row) => string
}

const rowsAtOnce = 500

/** Excel takes a file for UTF-8 that begins with it. */
const byteOrderMark = '\ufeff'

/**
 * Sends all pages of a list as one CSV file. Pages are read as the receiver takes them, none of them kept, and each by a
 * statement of its own, so that a slow receiver holds nothing open.
 */
export async function sendCsv<Path extends string, Row, Options>(
  reply: FastifyReply,
  source: Source<Path, Row, Options>,
): Promise<FastifyReply> {
  const { csv, call, options } = source
  const columns = await csv.begin(call, options)
  const file = typeof csv.fileName === 'string' ? csv.fileName : csv.fileName(options)
  reply.header('content-type', 'text/csv; charset=utf-8')
  reply.header('content-disposition', `attachment; filename="${file}-${call.now.slice(0, 10)}.csv"`)
  reply.header('cache-control', 'no-store')
  return reply.send(Readable.from(linesOf(source, columns)))
}

async function* linesOf<Path extends string, Row, Options>(
  { call, options, search, order, list, cursorOf }: Source<Path, Row, Options>,
  columns: CsvColumns<Row>,
): AsyncGenerator<string> {
  const { db, organizationId, params, now } = call
  yield byteOrderMark + csvLine(columns.map(([head]) => head))
  let after: string | undefined
  for (;;) {
    const page = { organizationId, params, now, search, after, limit: rowsAtOnce + 1, order }
    const { rows, hasMore } = pageOf(await list(db, page, options), rowsAtOnce)
    if (rows.length > 0) yield rows.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join('')
    const last = rows.at(-1)
    if (!hasMore || last === undefined) return
    after = cursorOf(last)
  }
}
