import type { LiveQueryCampaign, LiveQueryResult } from '@muster/contract/live-queries.ts'
import type { Links } from '../http/links.ts'
import type { CampaignRow, ResultRow } from './queries.ts'

export const presentCampaign = (row: CampaignRow): LiveQueryCampaign => ({
  id: row.id,
  name: row.name,
  osquery_sql: row.osquery_sql,
  created_at: row.created_at,
  published: row.published,
  revision: row.revision,
  tables_used: row.tables_used,
  successful_devices_count: row.successful,
  errored_devices_count: row.errored,
  waiting_devices_count: row.waiting,
})

export const presentResult = (row: ResultRow, links: Links): LiveQueryResult => ({
  id: row.id,
  result_count: String(row.row_count),
  error_message: row.error_message,
  revision: row.revision,
  warning_message: row.warning_message,
  device_information: links.device(row.device_id),
  results: row.rows,
})
