import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import type { QueryRow } from './queries.ts'

/** `results` are left out of the record when they are not given. */
export const presentQuery = (row: QueryRow, results?: Record<string, unknown>[]): ReportingQuery => ({
  id: row.id,
  name: row.name,
  osquery_sql: row.sql,
  result_count: row.result_count,
  results_truncated: row.is_truncated,
  results_updated_at: row.ran_at,
  error_message: row.error_message,
  created_at: row.created_at,
  ...(results && { results }),
})
