import type { Selectable } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Announcement } from '../../signals/events/announce.ts'

type EndedSession = Pick<
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

/** What the outside is told of a session that ended. */
export const newsOfSession = (
  type: 'auth_logs.success' | 'auth_logs.failure',
  session: EndedSession,
  { cause, now }: Pick<ChangeOrigin, 'cause' | 'now'>,
): Announcement => ({
  organizationId: session.organization_id,
  type,
  cause,
  at: now,
  authLogId: session.id,
  deviceId: session.device_id,
  deviceName: session.device_name,
  agentVersion: session.agent_version,
  personId: session.person_id,
  browserName: session.browser_name,
  browserVersion: session.browser_version,
})
