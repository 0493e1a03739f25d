import { createHash } from 'node:crypto'
import { reportingOperations } from '@muster/contract/operations/reporting.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../base/errors.ts'
import { openPage } from '../http/caller-scheme.ts'
import { endpoint } from '../http/endpoint.ts'
import { listEndpoint } from '../http/list-endpoint.ts'
import { pageHeaders } from '../http/page/page-headers.ts'
import { deviceExists } from '../inventory/devices/queries.ts'
import { findReportingTable, reportingTables } from './catalogue/catalogue.ts'
import { documentationPage } from './documentation-page.ts'
import { listTableRecords } from './list-table-records.ts'
import { documentationPath, presentReportingTable, presentTableRecord } from './present.ts'
import { listTablesOfDevice } from './problems/list-tables-of-device.ts'

export function reportingTableRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...reportingOperations.listReportingTables,
    list: async (_db, { after = '', limit }) => reportingTables.filter(({ name }) => name > after).slice(0, limit),
    cursorOf: ({ name }) => name,
    present: presentReportingTable,
  })

  endpoint(app, {
    ...reportingOperations.getReportingTable,
    run: async ({ params, links }) => presentReportingTable(orNotFound(findReportingTable(params.name)), links),
  })

  listEndpoint(app, {
    ...reportingOperations.listTableRecords,
    list: listTableRecords,
    present: presentTableRecord,
  })

  listEndpoint(app, {
    ...reportingOperations.listTablesOfDevice,
    list: listTablesOfDevice,
    cursorOf: ({ name }) => name,
    present: (table) => table,
    exists: (reader, organizationId, { deviceId }) => deviceExists(reader, organizationId, deviceId),
  })
}

/** The page says nothing of any organization, so it needs no key. */
export function reportingDocumentationRoutes(app: FastifyInstance): void {
  const page = documentationPage(reportingTables)
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? ''
  const styleHash = createHash('sha256').update(style).digest('base64')
  const headers = pageHeaders({ 'style-src': `'sha256-${styleHash}'` })
  app.get(documentationPath, { config: openPage }, async (_request, reply) => {
    reply.headers(headers).type('text/html; charset=utf-8')
    return page
  })
}
