import { sql } from 'kysely'

/**
 * Whether someone has to set up a second factor first: of `admin_sessions as session`, `admin_users as admin` and,
 * joined from the left, `organization_settings as settings`.
 */
export const needsSecondFactor = sql<boolean>`(session.method <> 'oidc'
  and coalesce(settings.is_second_factor_required, false)
  and not exists (select from admin_credentials as credentials
    where credentials.organization_id = admin.organization_id and credentials.admin_user_id = admin.id
      and credentials.totp_enabled_at is not null)
  and not exists (select from admin_passkeys as passkey
    where passkey.organization_id = admin.organization_id and passkey.admin_user_id = admin.id))`
