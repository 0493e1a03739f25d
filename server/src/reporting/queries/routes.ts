import { reportingOperations } from '@muster/contract/operations/reporting.ts'
import type { ReportingQueryOptions } from '@muster/contract/reporting-queries.ts'
import type { FastifyInstance } from 'fastify'
import type { Reader } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentQuery } from './present.ts'
import {
  findQuery,
  firstResults,
  listQueries,
  listResults,
  placeOfResult,
  type QueryRow,
  queryExists,
} from './queries.ts'

/** What the results of one answer may take, so that all of it stays below 2 MB. */
const maxAnswerBytes = 1_900_000
/** In a list they are a glimpse: reading and writing more takes longer than a page may. */
const maxListedBytes = 400_000

export function reportingQueryRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...reportingOperations.listReportingQueries,
    list: async (db, page, options: ReportingQueryOptions) =>
      withResults(db, page.organizationId, await listQueries(db, page), options),
    present: ({ query, results }) => presentQuery(query, results),
    cursorOf: ({ query }) => query.id,
  })

  endpoint(app, {
    ...reportingOperations.getReportingQuery,
    run: async ({ db, organizationId, params, query: options }) => {
      const found = orNotFound(await findQuery(db, organizationId, params.id))
      const [answer] = await withResults(db, organizationId, [found], options)
      return presentQuery(found, answer?.results)
    },
  })

  listEndpoint(app, {
    ...reportingOperations.listReportingQueryResults,
    list: listResults,
    exists: (reader, organizationId, { queryId }) => queryExists(reader, organizationId, queryId),
    present: ({ content }) => content,
    cursorOf: placeOfResult,
  })
}

type Answered = { query: QueryRow; results: Record<string, unknown>[] | undefined }

async function withResults(
  reader: Reader,
  organizationId: string,
  queries: readonly QueryRow[],
  { omit_results: omit }: ReportingQueryOptions,
): Promise<Answered[]> {
  if (omit === '1' || omit === 'true') return queries.map((query) => ({ query, results: undefined }))
  const most = queries.length > 1 ? maxListedBytes : maxAnswerBytes
  const room = Math.max(0, Math.min(most, maxAnswerBytes - Buffer.byteLength(JSON.stringify(queries))))
  const results = await firstResults(reader, organizationId, queries, room)
  return queries.map((query) => ({ query, results: results.get(query.id) ?? [] }))
}
