import type {
  AdministratorView,
  EnrollmentSecretView,
  PrivacyKeyView,
  SettingFacts,
} from '@muster/contract/console-settings.ts'
import { type Feature, features } from '@muster/contract/features.ts'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import { dayMs } from '../../base/time.ts'
import type { AdministratorViewRow, EnrollmentSecretRow, findOrganization, PrivacyKeyRow } from './setting-queries.ts'

export const presentEnrollmentSecret = (row: EnrollmentSecretRow): EnrollmentSecretView => ({
  id: row.id,
  name: row.name,
  person:
    row.person_id === null ? null : { id: row.person_id, name: row.person_name ?? '', email: row.person_email ?? '' },
  package_id: row.package_id,
  state: row.state,
  created_at: row.created_at,
  expires_at: row.expires_at,
  revoked_at: row.revoked_at,
})

/** What a key may do without the reasons, which are for those who manage keys. */
export const presentPrivacyKey = ({ permissions: granted, ...row }: PrivacyKeyRow): PrivacyKeyView => ({
  ...row,
  permissions: (Object.keys(permissions) as Permission[]).filter((name) => granted[name] !== undefined),
})

export function presentAdministratorView(row: AdministratorViewRow): AdministratorView {
  const { has_totp: hasTotp, has_passkey: hasPasskey, ...rest } = row
  const factor = hasPasskey ? 'passkey' : 'totp'
  return { ...rest, second_factor: hasTotp && hasPasskey ? 'both' : hasTotp || hasPasskey ? factor : 'none' }
}

type Organization = NonNullable<Awaited<ReturnType<typeof findOrganization>>>

type Settings = {
  readonly baseUrl: string
  readonly oidc: { readonly name: string; readonly issuer: string } | undefined
  readonly deviceDeletionDelaySeconds: number
  readonly liveQueryBlockedTables: readonly string[]
}

type Kept = Readonly<Record<'events' | 'adminSessions', number>>

const daysOf = (milliseconds: number): number => milliseconds / dayMs

/** The address of the server is one of them for as long as the organization has an address of its own and has not left it. */
function oldAddressesOf(organization: Organization, baseUrl: string): string[] {
  const { base_url: own, old_addresses_ended_at: endedAt, former_base_urls: former } = organization
  const isAtServer = own !== null && own !== baseUrl && endedAt === null
  return [...(isAtServer ? [baseUrl] : []), ...former]
}

export const presentSettingFacts = (
  organization: Organization,
  counts: SettingFacts['counts'],
  { baseUrl, oidc, deviceDeletionDelaySeconds, liveQueryBlockedTables }: Settings,
  keptMs: Kept,
  chosen: SettingFacts['chosen'],
): SettingFacts => ({
  organization: { id: organization.id, name: organization.name, created_at: organization.created_at },
  features: (Object.keys(features) as Feature[]).map((feature) => ({
    name: feature,
    is_on: !organization.disabled_features.includes(feature),
  })),
  base_url: baseUrl,
  own_base_url: organization.base_url,
  old_base_urls: oldAddressesOf(organization, baseUrl),
  identity_provider: oidc
    ? { name: oidc.name, issuer: oidc.issuer, redirect_uri: `${baseUrl}/console/api/session/oidc/callback` }
    : null,
  device_deletion_delay_seconds: deviceDeletionDelaySeconds,
  blocked_tables: [...liveQueryBlockedTables],
  chosen,
  kept_days: { events: daysOf(keptMs.events), admin_sessions: daysOf(keptMs.adminSessions) },
  counts,
})
