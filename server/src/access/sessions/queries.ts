import { sql } from 'kysely'
import { closestSpelling, equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { clockToleranceMs, plusMs } from '../../base/time.ts'
import { leaverOf } from '../../inventory/people/leaver-of.ts'
import { sessionIdleMs, sessionLifetimeMs } from './rules.ts'

/** Two at most: for who signs in with an address that administers several organizations and names none. */
export const findAccounts = (
  reader: Reader,
  { email, organization, adminUserId }: { email: string; organization?: string | undefined; adminUserId?: string },
) =>
  reader
    .selectFrom('admin_users')
    .distinctOn('admin_users.organization_id')
    .innerJoin('organizations', 'organizations.id', 'admin_users.organization_id')
    .leftJoin('admin_credentials', (join) =>
      join
        .onRef('admin_credentials.organization_id', '=', 'admin_users.organization_id')
        .onRef('admin_credentials.admin_user_id', '=', 'admin_users.id'),
    )
    .select([
      'admin_users.organization_id',
      'admin_users.id',
      'admin_users.first_name',
      'admin_users.last_name',
      'admin_users.email',
      'admin_credentials.password_hash',
    ])
    .where(equalsFolded('admin_users.email', email))
    .$if(organization !== undefined, (query) =>
      query.where((is) =>
        is.or([
          is(sql<string>`organizations.id::text`, '=', organization ?? ''),
          is('organizations.name', '=', organization ?? ''),
        ]),
      ),
    )
    .$if(adminUserId !== undefined, (query) => query.where('admin_users.id', '=', adminUserId ?? ''))
    .orderBy('admin_users.organization_id')
    .orderBy(closestSpelling('admin_users.email', email), 'desc')
    .limit(2)
    .execute()

export type Account = Awaited<ReturnType<typeof findAccounts>>[number]

/** Whether anyone can sign in, or could: that administrator, one of the organization, or one of any. */
export async function hasAccounts(reader: Reader, organizationId?: string, adminUserId?: string): Promise<boolean> {
  for (const table of ['admin_credentials', 'admin_passkeys', 'admin_identities'] as const) {
    const row = await reader
      .selectFrom(table)
      .select('admin_user_id')
      .$if(organizationId !== undefined, (query) => query.where(inOrganization(table, organizationId ?? '')))
      .$if(adminUserId !== undefined, (query) => query.where('admin_user_id', '=', adminUserId ?? ''))
      .limit(1)
      .executeTakeFirst()
    if (row) return true
  }
  return false
}

/** One that was not used and has not ended. */
export const findLink = (reader: Reader, lookupHash: Buffer, now: string) =>
  reader
    .selectFrom('admin_link_lookups')
    .innerJoin('admin_links', (join) =>
      join
        .onRef('admin_links.organization_id', '=', 'admin_link_lookups.organization_id')
        .onRef('admin_links.id', '=', 'admin_link_lookups.admin_link_id'),
    )
    .innerJoin('organizations', 'organizations.id', 'admin_links.organization_id')
    .leftJoin('admin_users', (join) =>
      join
        .onRef('admin_users.organization_id', '=', 'admin_links.organization_id')
        .onRef('admin_users.id', '=', 'admin_links.admin_user_id'),
    )
    .select([
      'admin_links.organization_id',
      'admin_links.id',
      'admin_links.purpose',
      'admin_links.admin_user_id',
      'admin_links.expires_at',
      'admin_users.first_name',
      'admin_users.last_name',
      'admin_users.email',
      'organizations.name as organization_name',
    ])
    .where('admin_link_lookups.lookup_hash', '=', lookupHash)
    .where('admin_links.used_at', 'is', null)
    .where('admin_links.expires_at', '>', now)
    .where('admin_links.created_at', '<=', plusMs(now, clockToleranceMs))
    .executeTakeFirst()

export type LinkRow = NonNullable<Awaited<ReturnType<typeof findLink>>>

export async function hasSeveralOrganizations(reader: Reader): Promise<boolean> {
  return (await reader.selectFrom('organizations').select('id').limit(2).execute()).length > 1
}

const maxSessions = 100

/** How an administrator signs in, and the latest of the sessions that have not ended. */
export async function findSignInState(
  reader: Reader,
  { organizationId, adminUserId, now }: { organizationId: string; adminUserId: string; now: string },
) {
  const admin = await reader
    .selectFrom('admin_users')
    .leftJoin('admin_credentials', (join) =>
      join
        .onRef('admin_credentials.organization_id', '=', 'admin_users.organization_id')
        .onRef('admin_credentials.admin_user_id', '=', 'admin_users.id'),
    )
    .select(['admin_credentials.password_changed_at', 'admin_credentials.totp_enabled_at'])
    .select(leaverOf('admin_users').as('deprovisioned_person_id'))
    .where(inOrganization('admin_users', organizationId))
    .where('admin_users.id', '=', adminUserId)
    .executeTakeFirst()
  if (!admin) return undefined
  const { codes } = await reader
    .selectFrom('admin_recovery_codes')
    .select((row) => row.cast<number>(row.fn.countAll(), 'integer').as('codes'))
    .where(inOrganization('admin_recovery_codes', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .executeTakeFirstOrThrow()
  const passkeys = await listPasskeys(reader, { organizationId, adminUserId })
  const found = { ...admin, recovery_codes_left: codes, passkeys }
  // Theirs are none for as long as they are deprovisioned.
  if (admin.deprovisioned_person_id !== null) return { ...found, sessions: [] }
  const sessions = await reader
    .selectFrom('admin_sessions')
    .select(['id', 'method', 'ip_address', 'user_agent', 'created_at', 'last_seen_at'])
    .where(inOrganization('admin_sessions', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .where('ended_at', 'is', null)
    .where('created_at', '>', plusMs(now, -sessionLifetimeMs))
    .where('last_seen_at', '>', plusMs(now, -sessionIdleMs))
    .orderBy('id', 'desc')
    .limit(maxSessions)
    .execute()
  return { ...found, sessions }
}

export type SignInStateRow = NonNullable<Awaited<ReturnType<typeof findSignInState>>>

export const listPasskeys = (reader: Reader, asked: { organizationId: string; adminUserId: string }) =>
  reader
    .selectFrom('admin_passkeys')
    .select(['id', 'name', 'is_synced', 'created_at', 'last_used_at', 'credential_id', 'transports'])
    .where(inOrganization('admin_passkeys', asked.organizationId))
    .where('admin_user_id', '=', asked.adminUserId)
    .orderBy('id')
    .limit(100)
    .execute()

export const findPasskey = (reader: Reader, lookupHash: Buffer) =>
  reader
    .selectFrom('admin_passkey_lookups')
    .innerJoin('admin_passkeys', (join) =>
      join
        .onRef('admin_passkeys.organization_id', '=', 'admin_passkey_lookups.organization_id')
        .onRef('admin_passkeys.id', '=', 'admin_passkey_lookups.admin_passkey_id'),
    )
    .innerJoin('admin_users', (join) =>
      join
        .onRef('admin_users.organization_id', '=', 'admin_passkeys.organization_id')
        .onRef('admin_users.id', '=', 'admin_passkeys.admin_user_id'),
    )
    .select([
      'admin_passkeys.organization_id',
      'admin_passkeys.id',
      'admin_passkeys.admin_user_id',
      'admin_passkeys.name',
      'admin_passkeys.credential_id',
      'admin_passkeys.public_key',
      'admin_passkeys.sign_count',
      'admin_users.first_name',
      'admin_users.last_name',
      'admin_users.email',
    ])
    .where('admin_passkey_lookups.lookup_hash', '=', lookupHash)
    .executeTakeFirst()

export type PasskeyRow = NonNullable<Awaited<ReturnType<typeof findPasskey>>>
