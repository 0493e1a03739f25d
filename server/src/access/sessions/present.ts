import type { ConsoleLink, ConsoleSession, SignInState } from '@muster/contract/console.ts'
import type { ConsolePreferences } from '@muster/contract/console-preferences.ts'
import type { AdmittedSession } from '../../base/callers.ts'
import { plusMs } from '../../base/time.ts'
import type { LinkRow, SignInStateRow } from './queries.ts'
import { mayRead, powersOf, sessionLifetimeMs, stepUpMs } from './rules.ts'

export const presentSession = (
  row: AdmittedSession,
  csrfToken: string,
  preferences: ConsolePreferences,
): ConsoleSession => ({
  administrator: {
    id: row.admin_user_id,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    access: row.access,
    restrictions: row.restrictions,
  },
  organization: { id: row.organization_id, name: row.organization_name },
  needs_second_factor: row.needs_second_factor,
  may_read: mayRead(row),
  permissions: [...powersOf(row)],
  disabled_features: row.disabled_features,
  preferences,
  csrf_token: csrfToken,
  session: {
    id: row.session_id,
    created_at: row.created_at,
    expires_at: plusMs(row.created_at, sessionLifetimeMs),
    verified_until: plusMs(row.verified_at, stepUpMs),
  },
})

export const presentLink = (row: LinkRow): ConsoleLink => ({
  purpose: row.purpose,
  organization: { id: row.organization_id, name: row.organization_name },
  email: row.email,
  expires_at: row.expires_at,
})

export const presentSignInState = (row: SignInStateRow, currentId: string): SignInState => ({
  password_changed_at: row.password_changed_at,
  totp_enabled_at: row.totp_enabled_at,
  recovery_codes_left: row.recovery_codes_left,
  passkeys: row.passkeys.map(({ id, name, is_synced, created_at, last_used_at }) => ({
    id,
    name,
    is_synced,
    created_at,
    last_used_at,
  })),
  sessions: row.sessions.map((session) => ({ ...session, is_current: session.id === currentId })),
  deprovisioned_person_id: row.deprovisioned_person_id,
})
