import { queryOptions, useQuery } from '@tanstack/react-query'
import { tablesQuery } from '../api/tables-query.ts'
import type { SqlTable } from './sql-completion.ts'

/** Whose tables the SQL reads: those of osquery on a device, or the reporting tables. */
export type SqlDialect = 'osquery' | 'reporting'

const osqueryTablesQuery = queryOptions({
  queryKey: ['osquery-tables'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await import('./osquery-tables.ts')).osqueryTables,
})

/** The tables that can be named; fetched once someone writes. */
export function useSqlTables(dialect: SqlDialect, isWanted: boolean): readonly SqlTable[] {
  const osquery = useQuery({ ...osqueryTablesQuery, enabled: isWanted && dialect === 'osquery' })
  const reporting = useQuery({ ...tablesQuery, enabled: isWanted && dialect === 'reporting' })
  return (dialect === 'osquery' ? osquery.data : reporting.data) ?? []
}
