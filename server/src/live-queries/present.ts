import type { LiveQueryCampaign, LiveQueryResult, LiveQueryRows } from '@muster/contract/live-queries.ts'
import type { Links } from '../base/links.ts'
import type { CampaignRow, PartRow, ResultRow } from './queries.ts'

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
  kept_count: String(row.rows.length + row.rows_in_parts),
  rows_url: links.url(`/live_query_campaigns/${row.campaign_id}/query_results/${row.id}/rows`),
  error_message: row.error_message,
  revision: row.revision,
  warning_message: row.warning_message,
  device_information: links.device(row.device_id),
  results: row.rows,
})

export const presentPart = ({ id, rows }: PartRow): LiveQueryRows => ({ id, results: rows })
