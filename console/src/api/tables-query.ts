import type { ReportingTable } from '@muster/contract/reporting-tables.ts'
import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'
import { queryKeyOf } from './query.ts'

/** All reporting tables: there are some dozens, and they change with the version only. */
export const tablesQuery = queryOptions({
  queryKey: [...queryKeyOf('listReportingTables', {}), 'all'],
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
