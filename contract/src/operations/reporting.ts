import { ReportingQuery, ReportingQueryOptions, ReportingQueryResult } from '../reporting-queries.ts'
import { DeviceTable, ReportingTable, TableRecord, tableRecordSearch } from '../reporting-tables.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const reportingOperations = defineOperations({
  listReportingTables: list({
    path: '/reporting/tables',
    permission: 'read',
    feature: 'reporting',
    summary: 'List reporting tables',
    tag: 'Reporting',
    record: ReportingTable,
  }),
  getReportingTable: json({
    method: 'GET',
    path: '/reporting/tables/:name',
    permission: 'read',
    feature: 'reporting',
    summary: 'Read a reporting table',
    tag: 'Reporting',
    textParams: { name: 'Name of the table.' },
    answer: ReportingTable,
  }),
  listTableRecords: list({
    path: '/reporting/tables/:tableName/table_records',
    permission: 'read',
    feature: 'reporting',
    summary: 'List the records of a reporting table',
    description:
      'Device tables can be searched by `device_id`, check tables by `check_id` and person tables by `person_id`; `searchable_fields` of the table lists them.',
    tag: 'Reporting',
    textParams: { tableName: 'Name of the table.' },
    search: tableRecordSearch,
    record: TableRecord,
  }),
  listTablesOfDevice: list({
    path: '/devices/:deviceId/reporting_tables',
    permission: 'read',
    feature: 'reporting',
    summary: 'List the reporting tables of a device',
    description:
      'Every table that devices of this platform are asked for, by name: when it was last reported, and why it does not come where the agent said so. A table with neither has not been reported yet. Devices that osquery does not run on have none.',
    tag: 'Reporting',
    record: DeviceTable,
  }),
  listReportingQueries: list({
    path: '/reporting/queries',
    permission: 'read',
    feature: 'reporting',
    summary: 'List reporting queries',
    tag: 'Reporting',
    options: ReportingQueryOptions,
    record: ReportingQuery,
  }),
  getReportingQuery: json({
    method: 'GET',
    path: '/reporting/queries/:id',
    permission: 'read',
    feature: 'reporting',
    summary: 'Read a reporting query',
    tag: 'Reporting',
    query: ReportingQueryOptions,
    answer: ReportingQuery,
  }),
  listReportingQueryResults: list({
    path: '/reporting/queries/:queryId/results',
    permission: 'read',
    feature: 'reporting',
    summary: 'List the rows of a reporting query',
    description:
      'The rows of the latest run. Later pages come from the same run as the first page, even if the query runs again in between; after two more runs with different rows the cursor is refused.',
    tag: 'Reporting',
    record: ReportingQueryResult,
  }),
})
