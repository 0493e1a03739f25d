import type { AdministratorFilter, EnrollmentSecretFilter } from '@muster/contract/console-settings.ts'
import { sql } from 'kysely'
import { foldedPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { leaverOf } from '../../inventory/people/leaver-of.ts'

const newestSecret: Keyset = { id: { column: 'enrollment_secrets.id', type: 'bigint' }, direction: 'desc' }
const newestToken: Keyset = { id: { column: 'scim_tokens.id', type: 'bigint' }, direction: 'desc' }
const firstAdministrator: Keyset = { id: { column: 'admin_users.id', type: 'bigint' }, direction: 'asc' }
const oldestKey: Keyset = { id: { column: 'api_keys.id', type: 'bigint' }, direction: 'asc' }

const placeAfter = (after: string | undefined) => (after === undefined ? undefined : ([after] as [string]))

export type EnrollmentSecretRow = Awaited<ReturnType<typeof listEnrollmentSecretViews>>[number]

/** The newest first. */
export function listEnrollmentSecretViews(reader: Reader, page: ListPage, { state }: EnrollmentSecretFilter) {
  const { organizationId, after, limit, now } = page
  const standing = sql<'in_force' | 'expired' | 'revoked'>`case
    when enrollment_secrets.revoked_at is not null then 'revoked'
    when enrollment_secrets.expires_at <= ${now}::timestamptz then 'expired'
    else 'in_force' end`
  return reader
    .selectFrom('enrollment_secrets')
    .leftJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'enrollment_secrets.organization_id')
        .onRef('people.id', '=', 'enrollment_secrets.person_id'),
    )
    .leftJoin('packages', (join) =>
      join
        .onRef('packages.organization_id', '=', 'enrollment_secrets.organization_id')
        .onRef('packages.enrollment_secret_id', '=', 'enrollment_secrets.id'),
    )
    .select([
      'enrollment_secrets.id',
      'enrollment_secrets.name',
      'enrollment_secrets.person_id',
      'people.name as person_name',
      'people.email as person_email',
      'packages.id as package_id',
      'enrollment_secrets.created_at',
      'enrollment_secrets.expires_at',
      'enrollment_secrets.revoked_at',
      standing.as('state'),
    ])
    .where(inOrganization('enrollment_secrets', organizationId))
    .$if(state === 'in_force', (query) => query.where(standing, '=', 'in_force'))
    .$if(state === 'ended', (query) => query.where(standing, '!=', 'in_force'))
    .$call(nextRows(newestSecret, placeAfter(after), limit))
    .execute()
}

/** The active ones, the newest first. */
export const listScimTokenViews = (reader: Reader, { organizationId, after, limit }: ListPage) =>
  reader
    .selectFrom('scim_tokens')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where(inOrganization('scim_tokens', organizationId))
    .where('revoked_at', 'is', null)
    .$call(nextRows(newestToken, placeAfter(after), limit))
    .execute()

export type PrivacyKeyRow = Awaited<ReturnType<typeof listPrivacyKeys>>[number]

/** Those that were not revoked, the oldest first; no more of them than every administrator may know. */
export const listPrivacyKeys = (reader: Reader, { organizationId, after, limit }: ListPage) =>
  reader
    .selectFrom('api_keys')
    .select(['id', 'name', 'responsible_administrator', 'permissions', 'last_used_at'])
    .where(inOrganization('api_keys', organizationId))
    .where('revoked_at', 'is', null)
    .$call(nextRows(oldestKey, placeAfter(after), limit))
    .execute()

export type AdministratorViewRow = Awaited<ReturnType<typeof listAdministratorViews>>[number]

const hasPasskey = sql<boolean>`exists (select 1 from admin_passkeys as passkey
  where passkey.organization_id = admin_users.organization_id and passkey.admin_user_id = admin_users.id)`
const hasIdentity = sql<boolean>`exists (select 1 from admin_identities as identity
  where identity.organization_id = admin_users.organization_id and identity.admin_user_id = admin_users.id)`

/** In the order in which they were added. */
export function listAdministratorViews(
  reader: Reader,
  page: ListPage,
  { search, access, factor }: AdministratorFilter,
) {
  const { organizationId, after, limit, now } = page
  const pattern = foldedPattern(search?.trim() ?? '')
  return reader
    .selectFrom('admin_users')
    .leftJoin('admin_credentials as credentials', (join) =>
      join
        .onRef('credentials.organization_id', '=', 'admin_users.organization_id')
        .onRef('credentials.admin_user_id', '=', 'admin_users.id'),
    )
    .select([
      'admin_users.id',
      'admin_users.first_name',
      'admin_users.last_name',
      'admin_users.email',
      'admin_users.access',
      'admin_users.restrictions',
      'admin_users.created_at',
      sql<boolean>`credentials.password_hash is not null`.as('has_password'),
      sql<boolean>`credentials.totp_enabled_at is not null`.as('has_totp'),
      leaverOf('admin_users').as('deprovisioned_person_id'),
      hasPasskey.as('has_passkey'),
      hasIdentity.as('has_identity'),
      sql<string | null>`(select max(session.last_seen_at) from admin_sessions as session
        where session.organization_id = admin_users.organization_id and session.admin_user_id = admin_users.id)`.as(
        'last_seen_at',
      ),
      sql<string | null>`(select max(link.expires_at) from admin_links as link
        where link.organization_id = admin_users.organization_id and link.admin_user_id = admin_users.id
          and link.used_at is null and link.expires_at > ${now}::timestamptz)`.as('link_expires_at'),
    ])
    .where(inOrganization('admin_users', organizationId))
    .$if(pattern !== '%%', (query) =>
      query.where(
        sql<boolean>`(folded(admin_users.first_name) like ${pattern} or folded(admin_users.last_name) like ${pattern} or folded(admin_users.email) like ${pattern})`,
      ),
    )
    .$if(access !== undefined, (query) => query.where('admin_users.access', '=', access ?? 'full'))
    .$if(factor === 'missing', (query) =>
      query.where(sql<boolean>`credentials.totp_enabled_at is null and not ${hasPasskey} and not ${hasIdentity}`),
    )
    .$call(nextRows(firstAdministrator, placeAfter(after), limit))
    .execute()
}

export const findOrganization = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('organizations')
    .select(['id', 'name', 'created_at', 'disabled_features', 'base_url', 'old_addresses_ended_at'])
    .select(
      sql<string[]>`array(select former_addresses.base_url from former_addresses
        where ${inOrganization('former_addresses', organizationId)} and ended_at is null
        order by former_addresses.base_url collate "C")`.as('former_base_urls'),
    )
    .where('id', '=', organizationId)
    .executeTakeFirst()

/** In one statement, however many rows there are of each. */
export const countForSettings = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('devices')
    .select([
      sql<number>`count(*) filter (where devices.registered_owner_id is not null)::int`.as('registered'),
      sql<number>`count(*) filter (where devices.registered_owner_id is null)::int`.as('unregistered'),
      sql<number>`count(*) filter (where devices.registration_suspended_at is not null)::int`.as('suspended'),
      sql<number>`(select count(*)::int from registration_requests
        where ${inOrganization('registration_requests', organizationId)} and status = 'pending')`.as(
        'waiting_requests',
      ),
      sql<number>`(select count(*)::int from checks where ${inOrganization('checks', organizationId)})`.as('checks'),
      sql<number>`(select count(*)::int from people
        where ${inOrganization('people', organizationId)} and deprovisioned_at is null)`.as('people'),
      sql<number>`(select count(*)::int from admin_users where ${inOrganization('admin_users', organizationId)})`.as(
        'administrators',
      ),
    ])
    .where(inOrganization('devices', organizationId))
    .where('devices.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
