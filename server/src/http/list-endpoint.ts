import type { Feature } from '@muster/contract/features.ts'
import type { InConsole } from '@muster/contract/operations/define-operations.ts'
import type { PathParams } from '@muster/contract/operations/path-params.ts'
import {
  defaultPerPage,
  envelope,
  type ListQuery,
  type Pagination,
  type RowCount,
} from '@muster/contract/pagination.ts'
import type { Permission } from '@muster/contract/permissions.ts'
import type { SearchFields } from '@muster/contract/search.ts'
import { type ApiVersion, apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { Caller } from '../base/callers.ts'
import { newChange } from '../base/change-context.ts'
import type { Db, Reader } from '../base/db/transact.ts'
import { fail, orNotFound } from '../base/errors.ts'
import type { Links } from '../base/links.ts'
import { decodeCursor, encodeCursor } from '../base/lists/cursor.ts'
import { pageOf } from '../base/lists/keyset.ts'
import type { ListPage } from '../base/lists/list-page.ts'
import { parseSearch, searchParser } from '../base/lists/parse-search.ts'
import { type CsvParts, sendCsv } from './csv-file.ts'
import { fitPage } from './fit-page.ts'
import { alternativeOf, type Forms, queryOf } from './list-forms.ts'
import { readParams } from './path-params.ts'
import { registerOperation } from './register-operation.ts'

export type ListDefinition<Path extends string, Schema extends TSchema, Row, Options extends TObject = TObject> = {
  path: Path
  operationId: string
  summary: string
  description?: string
  tag: string
  /** `read` unless the list is for holders of a permission only. */
  permission?: 'read' | Permission
  feature?: Feature
  inConsole?: InConsole
  versions?: readonly ApiVersion[]
  /** Path parameters that are no record identifiers, each with its description. */
  textParams?: Readonly<Record<string, string>>
  record: Schema
  search?: SearchFields
  /** Query parameters in addition to those of every list; the next page repeats them. */
  options?: Options
  /** Answers the record alone where the query parameter `by` names one. */
  one?: {
    by: keyof Options['properties'] & string
    find: (db: Db, organizationId: string, reference: string, now: string) => Promise<Row | undefined>
  }
  /** Answers some requests with a bounded array instead of the envelope of a page. */
  bare?: {
    isWanted: (request: FastifyRequest) => boolean
    list: (db: Db, caller: Caller, now: string) => Promise<Row[]>
  }
  order?: 'ascending' | 'descending'
  list: (db: Db, page: ListPage<PathParams<Path>>, options: Static<Options>) => Promise<Row[]>
  present: (row: Row, links: Links) => Static<Schema>
  /** Records are so small that a hundred stay far below the most that an answer has: they are not measured. */
  isSmall?: boolean
  /** Whether the record of a nested list is there; a missing and a foreign one are the same 404. */
  exists?: (reader: Reader, organizationId: string, params: PathParams<Path>) => Promise<boolean>
  /** The unique value the list is ordered by; the row's id unless given. */
  cursorOf?: (row: Row) => string
  hasCsv?: true
  hasCount?: true
  /** Answers all records as a CSV file where `format=csv` asks for it; given where the operation has one. */
  csv?: CsvParts<Path, Row, Static<Options>>
  /** How many there are, where `count=true` asks for it; given where the operation counts. */
  count?: (
    db: Db,
    organizationId: string,
    options: Static<Options>,
    now: string,
    params: PathParams<Path>,
  ) => Promise<RowCount>
}

/** Registers a list, once for each of its versions: searched, paged by cursor, in the envelope of all lists. */
export function listEndpoint<const Path extends string, Schema extends TSchema, Row, Options extends TObject = TObject>(
  app: FastifyInstance,
  definition: ListDefinition<Path, Schema, Row, Options>,
): void {
  const { path, textParams = {}, search } = definition
  const operation = {
    kind: 'list' as const,
    operationId: definition.operationId,
    path,
    versions: definition.versions ?? apiVersions,
    summary: definition.summary,
    description: definition.description,
    tag: definition.tag,
    access: definition.permission ?? ('read' as const),
    feature: definition.feature,
    inConsole: definition.inConsole,
    textParams,
    query: queryOf(definition),
    body: undefined,
    answer: envelope(definition.record),
    alternative: alternativeOf(definition),
    namesRecord: definition.one && (true as const),
    file: undefined,
    status: 200,
    search: search ?? {},
  }
  const readPath = readParams(path, textParams)
  registerOperation(app, operation, 'GET', (version) => {
    const answer = pageReader(app, definition, version)
    return async (request, reply) => {
      const caller = request.principal ?? fail('unauthorized')
      const { organizationId } = caller
      const links = app.kit.linksOf(caller)
      const found = await findOne(app, definition, organizationId, request.query)
      if (found !== undefined) return definition.present(found, links)
      if (definition.bare?.isWanted(request)) {
        const { db, clock } = app.kit
        return (await definition.bare.list(db, caller, clock())).map((row) => definition.present(row, links))
      }
      // Validated against queryOf before.
      const query = request.query as ListQuery & Static<Options> & Forms
      const params = readPath(request.params)
      if (query.count && definition.count) {
        const isThere = (await definition.exists?.(app.kit.db, organizationId, params)) ?? true
        if (!isThere) fail('not_found')
        return definition.count(app.kit.db, organizationId, query, app.kit.clock(), params)
      }
      if (query.format && definition.csv)
        return answerCsv(app, reply, { ...definition, csv: definition.csv }, { caller, params, query })
      return answer({ organizationId, links }, params, query)
    }
  })
}

function answerCsv<Path extends string, Schema extends TSchema, Row, Options extends TObject>(
  app: FastifyInstance,
  reply: FastifyReply,
  definition: ListDefinition<Path, Schema, Row, Options> & { csv: CsvParts<Path, Row, Static<Options>> },
  { caller, params, query }: { caller: Caller; params: PathParams<Path>; query: ListQuery & Static<Options> },
) {
  const { db, clock } = app.kit
  const now = clock()
  const { actor, organizationId } = caller
  const call = { db, organizationId, params, now, context: newChange(actor, organizationId, now) }
  const search = parseSearch((query.query ?? '').trim(), definition.search ?? {})
  const { csv, list, order = 'ascending', cursorOf = idOf } = definition
  return sendCsv(reply, { csv, call, options: query, search, order, list, cursorOf })
}

async function findOne<Path extends string, Schema extends TSchema, Row, Options extends TObject>(
  { kit: { db, clock } }: FastifyInstance,
  { one }: ListDefinition<Path, Schema, Row, Options>,
  organizationId: string,
  query: unknown,
): Promise<Row | undefined> {
  const reference = one && (query as Record<string, unknown>)[one.by]
  if (!one || typeof reference !== 'string') return undefined
  return orNotFound(await one.find(db, organizationId, reference, clock()))
}

function pageReader<Path extends string, Schema extends TSchema, Row, Options extends TObject>(
  app: FastifyInstance,
  definition: ListDefinition<Path, Schema, Row, Options>,
  version: ApiVersion,
) {
  const { db, clock, cursorKey, scheme } = app.kit
  const { search: fields = {}, order = 'ascending', list, present, exists, operationId } = definition
  const parse = searchParser(fields)
  const cursorOf = definition.cursorOf ?? idOf
  const addressOf = pathFiller(definition.path)
  const optionNames = Object.keys(definition.options?.properties ?? {})

  return async (
    { organizationId, links }: { organizationId: string; links: Links },
    params: PathParams<Path>,
    asked: ListQuery & Static<Options>,
  ) => {
    const { cursor = '', per_page: perPage = defaultPerPage, query } = asked
    const address = addressOf(params)
    const scope = { organizationId, apiVersion: version, resource: `${operationId} ${address}` }
    const position = cursor === '' ? undefined : decodeCursor(cursor, withQuery(scope, query), cursorKey)
    const text = position ? position.query : (query ?? '').trim()
    const search = parse(text)
    const after = position?.sortKey[0] ?? undefined
    const page = { organizationId, params, search, after, limit: perPage + 1, order, now: clock() }
    const [fetched, isThere] = await Promise.all([list(db, page, asked), exists?.(db, organizationId, params) ?? true])
    if (!isThere) fail('not_found')
    const { rows, hasMore } = pageOf(fetched, perPage)
    const presented = rows.map((row) => present(row, links))
    const data = definition.isSmall ? presented : fitPage(presented)
    const last = rows[data.length - 1]
    const nextCursor =
      (hasMore || data.length < rows.length) && last !== undefined
        ? encodeCursor({ ...scope, sortKey: [cursorOf(last)], query: text }, cursorKey)
        : ''
    const pagination: Pagination = {
      next:
        nextCursor &&
        links.url(
          `${scheme.prefix}${address}?${pageQuery(nextCursor, perPage, text)}${optionsQuery(optionNames, asked)}`,
        ),
      current_cursor: cursor,
      next_cursor: nextCursor,
      count: data.length,
    }
    return { data, pagination }
  }
}

const withQuery = <Scope>(scope: Scope, query: string | undefined) =>
  query === undefined ? scope : { ...scope, query: query.trim() }

function idOf(row: unknown): string {
  if (typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string') return row.id
  throw new Error('A list whose rows have no id needs cursorOf')
}

/** Cursors are URL-safe as they are. */
function pageQuery(cursor: string, perPage: number, text: string): string {
  const query = text === '' ? '' : `&query=${encodeURIComponent(text)}`
  return `cursor=${cursor}&per_page=${perPage}${query}`
}

function optionsQuery(names: readonly string[], asked: object): string {
  const given = Object.entries(asked).filter(([name]) => names.includes(name))
  return given.map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`).join('')
}

function pathFiller(path: string): (params: Readonly<Record<string, string>>) => string {
  if (!path.includes(':')) return () => path
  return (params) => path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
