import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import type { ConnectionFigures } from './connection-figures.ts'
import type { ConnectionGroup } from './connection-groups.ts'
import type { SignInConnection } from './connection-queries.ts'
import { entraSettingsOf } from './entra-change.ts'
import { entraAddresses } from './entra-rules.ts'
import { issuerPath } from './sign-in-address.ts'

type Shown = SignInConnection & {
  address: string | undefined
  figures: ConnectionFigures
  groups: ReadonlyMap<string, ConnectionGroup>
}

export const presentConnection = ({ figures, groups, ...row }: Shown): SignInConnectionView => ({
  id: row.id,
  kind: row.kind,
  entra: presentEntra(row),
  name: row.name,
  mode: row.mode,
  paused_until: row.paused_until,
  pause_reason: row.pause_reason,
  client_id: row.client_id,
  is_public: row.kind !== 'entra' && row.sealed_client_secret === null,
  issuer: issuerOf(row),
  redirect_uris: row.redirect_uris,
  post_logout_redirect_uris: row.post_logout_redirect_uris,
  requires_pkce: row.requires_pkce,
  request_keys: row.request_keys && { keys: row.request_keys },
  request_keys_url: row.request_keys_url,
  request_algorithm: row.request_algorithm,
  start_url: row.start_url,
  is_browser_managed: row.is_browser_managed,
  wait_seconds: row.wait_seconds,
  upstream_id: row.upstream_id,
  groups: row.group_ids.flatMap((id) => groups.get(id) ?? []),
  created_at: row.created_at,
  ...figures,
})

type Placed = Omit<Shown, 'figures' | 'groups'>

/** The issuer of its ID tokens; null while the organization has no address. */
export function issuerOf({ id, kind, address }: Pick<Placed, 'id' | 'kind' | 'address'>): string | null {
  if (address === undefined) return null
  return kind === 'entra' ? entraAddresses(address, id).issuer : `${address}${issuerPath}`
}

function presentEntra(row: Placed): SignInConnectionView['entra'] {
  const settings = entraSettingsOf(row)
  if (!settings) return null
  const addresses = row.address === undefined ? undefined : entraAddresses(row.address, row.id)
  return {
    cloud: settings.cloud,
    tenant_ids: settings.tenantIds,
    app_id: settings.appId,
    discovery_url: addresses?.discoveryUrl ?? null,
    authorization_endpoint: addresses?.authorizationEndpoint ?? null,
  }
}
