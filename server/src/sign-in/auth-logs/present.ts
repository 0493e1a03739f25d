import type { AuthLog } from '@muster/contract/auth-logs.ts'
import type { Links } from '../../base/links.ts'
import type { AuthLogRow } from './queries.ts'

export const presentAuthLog = (row: AuthLogRow, links: Links): AuthLog => ({
  id: row.id,
  timestamp: row.started_at,
  person_name: row.person_name,
  person_email: row.person_email,
  person_info: links.person(row.person_id),
  device_info: links.device(row.device_id),
  result: row.result,
  initial_status: row.initial_status,
  ip_address: row.ip_address,
  agent_version: row.agent_version,
  country: row.country,
  city: row.city,
  browser_name: row.browser_name,
  browser_user_agent: row.browser_user_agent,
  issues_displayed: row.issues_displayed.map((issue) => ({ ...issue, link: links.url(`/issues/${issue.id}`) })),
  events: row.events,
  okta_app_instance_id: row.application_id,
  okta_app_name: row.application_name,
})
