import { Readable } from 'node:stream'
import type { Feature } from '@muster/contract/features.ts'
import type { PathParams } from '@muster/contract/operations/path-params.ts'
import { ListQuery } from '@muster/contract/pagination.ts'
import type { Permission } from '@muster/contract/permissions.ts'
import type { SearchFields } from '@muster/contract/search.ts'
import { apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance } from 'fastify'
import Type, { type Static, type TObject } from 'typebox'
import { type ChangeContext, newChange } from '../base/change-context.ts'
import type { Db } from '../base/db/transact.ts'
import { fail } from '../base/errors.ts'
import type { CsvColumns } from '../base/lists/csv-columns.ts'
import { pageOf } from '../base/lists/keyset.ts'
import type { ListPage } from '../base/lists/list-page.ts'
import { parseSearch } from '../base/lists/parse-search.ts'
import { csvLine } from './csv-cells.ts'
import { readParams } from './path-params.ts'
import { registerOperation } from './register-operation.ts'

export type CsvCall<Path extends string> = {
  readonly db: Db
  readonly organizationId: string
  readonly params: PathParams<Path>
  readonly context: ChangeContext
  readonly now: string
}

type CsvDefinition<Path extends string, Row, Options extends TObject> = {
  path: Path
  operationId: string
  summary: string
  tag: string
  /** `read` unless the list is for holders of a permission only. */
  permission?: 'read' | Permission
  feature?: Feature
  /** Path parameters that are no record identifiers, each with its description. */
  textParams?: Readonly<Record<string, string>>
  /** What the rows are searched by, in the words of the API's `query`. */
  search?: SearchFields
  /** Without ending. */
  fileName: string | ((options: Static<Options>) => string)
  options?: Options
  order?: ListPage['order']
  list: (db: Db, page: ListPage<PathParams<Path>>, options: Static<Options>) => Promise<readonly Row[]>
  cursorOf: (row: Row) => string
  /** Called before the first row is read; says which columns there are. What it refuses is refused in time. */
  begin: (call: CsvCall<Path>, options: Static<Options>) => Promise<CsvColumns<Row>>
}

const rowsAtOnce = 500

/** Excel takes a file for UTF-8 that begins with it. */
const byteOrderMark = '\ufeff'

/**
 * Registers an endpoint that sends all pages of a list as one CSV file. Pages are read as the receiver takes them, none
 * of them kept, and each by a statement of its own, so that a slow receiver holds nothing open.
 */
export function csvEndpoint<const Path extends string, Row, Options extends TObject = TObject>(
  app: FastifyInstance,
  definition: CsvDefinition<Path, Row, Options>,
): void {
  const { db, clock } = app.kit
  const { path, operationId, summary, tag, feature, fileName, textParams = {}, search } = definition
  const { permission = 'read' } = definition
  const options = search
    ? Type.Object({ query: ListQuery.properties.query, ...definition.options?.properties })
    : definition.options
  const operation = {
    ...{
      kind: 'file' as const,
      path,
      operationId,
      summary,
      tag,
      feature,
      versions: apiVersions,
      access: permission,
      status: 200,
    },
    ...{ description: undefined, textParams, query: options, body: undefined, answer: undefined },
    file: { description: 'The rows.', mediaTypes: ['text/csv'] },
    search,
  }
  const params = readParams(path, textParams)
  registerOperation(app, operation, 'GET', () => async (request, reply) => {
    const { organizationId, actor } = request.principal ?? fail('unauthorized')
    const now = clock()
    const context = newChange(actor, organizationId, now)
    const call = { db, organizationId, context, now, params: params(request.params) }
    // Validated against the options before.
    const asked = request.query as Static<Options> & Pick<ListQuery, 'query'>
    const found = parseSearch((asked.query ?? '').trim(), search ?? {})
    const columns = await definition.begin(call, asked)
    const file = typeof fileName === 'string' ? fileName : fileName(asked)
    reply.header('content-type', 'text/csv; charset=utf-8')
    reply.header('content-disposition', `attachment; filename="${file}-${call.now.slice(0, 10)}.csv"`)
    reply.header('cache-control', 'no-store')
    return reply.send(Readable.from(linesOf(definition, columns, call, { found, options: asked })))
  })
}

async function* linesOf<Path extends string, Row, Options extends TObject>(
  { list, cursorOf, order = 'ascending' }: CsvDefinition<Path, Row, Options>,
  columns: CsvColumns<Row>,
  { db, organizationId, params, now }: CsvCall<Path>,
  { found, options }: { found: ReturnType<typeof parseSearch>; options: Static<Options> },
): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(columns.map(([head]) => head))
  let after: string | undefined
  for (;;) {
    const page = { organizationId, params, now, search: found, after, limit: rowsAtOnce + 1, order }
    const { rows, hasMore } = pageOf(await list(db, page, options), rowsAtOnce)
    if (rows.length > 0) yield rows.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join('')
    const last = rows.at(-1)
    if (!hasMore || last === undefined) return
    after = cursorOf(last)
  }
}
