import type { Feature } from '@muster/contract/features.ts'
import type { PathParams } from '@muster/contract/operations/path-params.ts'
import { ListQuery } from '@muster/contract/pagination.ts'
import type { Permission } from '@muster/contract/permissions.ts'
import type { SearchFields } from '@muster/contract/search.ts'
import { apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance } from 'fastify'
import Type, { type Static, type TObject } from 'typebox'
import { newChange } from '../base/change-context.ts'
import type { Db } from '../base/db/transact.ts'
import { fail } from '../base/errors.ts'
import type { ListPage } from '../base/lists/list-page.ts'
import { parseSearch } from '../base/lists/parse-search.ts'
import { type CsvParts, sendCsv } from './csv-file.ts'
import { readParams } from './path-params.ts'
import { registerOperation } from './register-operation.ts'

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
  options?: Options
  order?: ListPage['order']
  list: (db: Db, page: ListPage<PathParams<Path>>, options: Static<Options>) => Promise<readonly Row[]>
  cursorOf: (row: Row) => string
} & CsvParts<Path, Row, Static<Options>>

/** Registers an endpoint that answers a CSV file, where the list itself does not. */
export function csvEndpoint<const Path extends string, Row, Options extends TObject = TObject>(
  app: FastifyInstance,
  definition: CsvDefinition<Path, Row, Options>,
): void {
  const { db, clock } = app.kit
  const { path, operationId, summary, tag, feature, textParams = {}, search } = definition
  const { permission = 'read', order = 'ascending' } = definition
  const query = search
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
    ...{ description: undefined, textParams, query, body: undefined, answer: undefined },
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
    const options = request.query as Static<Options> & Pick<ListQuery, 'query'>
    const found = parseSearch((options.query ?? '').trim(), search ?? {})
    return sendCsv(reply, { ...definition, order, csv: definition, call, options, search: found })
  })
}
