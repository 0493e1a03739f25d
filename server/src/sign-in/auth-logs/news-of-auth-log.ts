import type { Selectable } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Announcement } from '../../signals/events/announce.ts'

export type EndedAuthLog = Pick<
  Selectable<Database['auth_logs']>,
  | 'organization_id'
  | 'id'
  | 'device_id'
  | 'device_name'
  | 'agent_version'
  | 'person_id'
  | 'browser_name'
  | 'browser_version'
>

/** What the outside is told of a log that ended. */
export const newsOfAuthLog = (
  type: 'auth_logs.success' | 'auth_logs.failure',
  log: EndedAuthLog,
  { cause, now }: Pick<ChangeOrigin, 'cause' | 'now'>,
): Announcement => ({
  organizationId: log.organization_id,
  type,
  cause,
  at: now,
  authLogId: log.id,
  deviceId: log.device_id,
  deviceName: log.device_name,
  agentVersion: log.agent_version,
  personId: log.person_id,
  browserName: log.browser_name,
  browserVersion: log.browser_version,
})
