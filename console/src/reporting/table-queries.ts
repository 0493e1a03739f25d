import type { ReportingTable } from '@muster/contract/reporting-tables.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

/** All of them: there are some dozens, and they change with the version only. */
export const tablesQuery = queryOptions({
  queryKey: ['reporting', 'tables'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => {
    const tables: ReportingTable[] = []
    let cursor = ''
    do {
      const page = await api('listReportingTables', { query: { per_page: 100, cursor }, signal })
      tables.push(...page.data)
      cursor = page.pagination.next_cursor
    } while (cursor !== '')
    return tables
  },
})

type Narrowed = { readonly device?: string; readonly after?: string | undefined }

export const tableRecordsQuery = (name: string, { device, after }: Narrowed) =>
  queryOptions({
    queryKey: ['reporting', 'records', name, device, after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = device === undefined ? '' : `device_id:"${device}"`
      return api('listTableRecords', {
        params: { tableName: name },
        query: { query, per_page: 50, cursor: after },
        signal,
      })
    },
  })
