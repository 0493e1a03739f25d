import { createHash } from 'node:crypto'
import { ReportingTable, TableRecord, tableRecordSearch } from '@muster/contract/reporting-tables.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../base/errors.ts'
import { endpoint } from '../http/endpoint.ts'
import { listEndpoint } from '../http/list-endpoint.ts'
import { findReportingTable, reportingTables } from './catalogue/catalogue.ts'
import { documentationPage } from './documentation-page.ts'
import { listTableRecords } from './list-table-records.ts'
import { documentationPath, presentReportingTable, presentTableRecord } from './present.ts'

const tag = 'Reporting'

export function reportingTableRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/reporting/tables',
    operationId: 'listReportingTables',
    summary: 'List reporting tables',
    tag,
    feature: 'reporting',
    record: ReportingTable,
    list: async (_db, { after = '', limit }) => reportingTables.filter(({ name }) => name > after).slice(0, limit),
    cursorOf: ({ name }) => name,
    present: presentReportingTable,
  })

  endpoint(app, {
    method: 'GET',
    path: '/reporting/tables/:name',
    operationId: 'getReportingTable',
    summary: 'Read a reporting table',
    tag,
    feature: 'reporting',
    permission: 'read',
    textParams: { name: 'Name of the table.' },
    answer: ReportingTable,
    run: async ({ params, links }) => presentReportingTable(orNotFound(findReportingTable(params.name)), links),
  })

  listEndpoint(app, {
    path: '/reporting/tables/:tableName/table_records',
    operationId: 'listTableRecords',
    summary: 'List the records of a reporting table',
    description:
      'Device tables can be searched by `device_id`, check tables by `check_id` and person tables by `person_id`; `searchable_fields` of the table says which.',
    tag,
    feature: 'reporting',
    textParams: { tableName: 'Name of the table.' },
    record: TableRecord,
    search: tableRecordSearch,
    list: listTableRecords,
    present: presentTableRecord,
  })
}

/** The page says nothing of any organization, so it needs no key. */
export function reportingDocumentationRoutes(app: FastifyInstance): void {
  const page = documentationPage(reportingTables)
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? ''
  const styleHash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  app.get(documentationPath, { config: { access: 'page', isChatty: true } }, async (_request, reply) => {
    reply.header('content-type', 'text/html; charset=utf-8')
    reply.header('content-security-policy', policy)
    reply.header('referrer-policy', 'no-referrer')
    return page
  })
}
