import { queryViewOperations } from '@muster/contract/operations/console-queries.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { csvEndpoint } from '../../http/csv-endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { campaignExists, findCampaign } from '../../live-queries/queries.ts'
import { findQuery, listResults, placeOfResult } from '../../reporting/queries/queries.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import {
  type AnsweredRow,
  listAnsweredColumns,
  listAnsweredRows,
  listLiveAnswers,
  listLiveQueryViews,
  placeOfAnsweredRow,
} from './live-queries.ts'
import { csvOf } from './note-export.ts'
import { liveQueryColumns } from './record-export-columns.ts'
import { reportViewRoutes } from './report-routes.ts'

export function queryViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...queryViewOperations.listLiveQueryViews,
    order: 'descending',
    list: listLiveQueryViews,
    present: (row) => row,
    csv: csvOf('live-queries', liveQueryColumns),
  })

  listEndpoint(scope, {
    ...queryViewOperations.listLiveAnswers,
    list: listLiveAnswers,
    present: (row) => row,
    exists: (reader, organizationId, { campaignId }) => campaignExists(reader, organizationId, campaignId),
  })

  resultExportRoutes(scope)
  reportViewRoutes(scope)
}

function resultExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    ...queryViewOperations.exportLiveAnswers,
    fileName: 'live-query',
    list: listAnsweredRows,
    cursorOf: placeOfAnsweredRow,
    begin: async ({ db, organizationId, params: { campaignId }, context }) => {
      const { name } = orNotFound(await findCampaign(db, organizationId, campaignId))
      const columns = await listAnsweredColumns(db, organizationId, campaignId)
      const description = `Exported the answers to the live query "${name}" as CSV.`
      await transact(db, (tx) =>
        recordAudit(tx, { action: 'records.exported', about: { live_query: campaignId }, description }, context),
      )
      return [
        ['device_id', (row: AnsweredRow) => row.device_id],
        ['device', (row) => row.device_name],
        ['error', (row) => row.error_message],
        ...columns.map((column) => [column, (row: AnsweredRow) => row.value?.[column] ?? null] as const),
      ]
    },
  })

  csvEndpoint(scope, {
    ...queryViewOperations.exportReportingQuery,
    fileName: 'report',
    list: listResults,
    cursorOf: placeOfResult,
    begin: async ({ db, organizationId, params: { queryId }, context }) => {
      const { name, column_names: columns } = orNotFound(await findQuery(db, organizationId, queryId))
      const description = `Exported the rows of the reporting query "${name}" as CSV.`
      await transact(db, (tx) =>
        recordAudit(tx, { action: 'records.exported', about: { reporting_query: queryId }, description }, context),
      )
      return columns.map((column) => [column, (row) => cellOf(row.content[column])] as const)
    },
  })
}

/** Values of SQL as text; those with parts as JSON. */
function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
}
