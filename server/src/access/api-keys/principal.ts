import type { Feature } from '@muster/contract/features.ts'
import type { Permission } from '@muster/contract/permissions.ts'
import type { Principal } from '../../base/callers.ts'

export type KeyRow = {
  organization_id: string
  api_key_id: string
  name: string
  /** JSON text. */
  permissions: string
  /** JSON text. */
  disabled_features: string
  base_url: string | null
  is_at_own_address_only: boolean
}

const maxPrincipals = 10_000

/** Keeps the read form of each key's row for as long as the row says the same. */
export function principalCache() {
  const cache = new Map<string, { source: string; principal: Principal }>()
  return {
    of(row: KeyRow): Principal {
      const { base_url, is_at_own_address_only: isAtOwnAddressOnly } = row
      const source = `${row.permissions}\n${row.disabled_features}\n${base_url} ${isAtOwnAddressOnly}\n${row.name}`
      const place = `${row.organization_id}/${row.api_key_id}`
      const cached = cache.get(place)
      if (cached?.source === source) return cached.principal
      const principal = readPrincipal(row)
      if (cache.size >= maxPrincipals) cache.clear()
      cache.set(place, { source, principal })
      return principal
    },
  }
}

function readPrincipal(row: KeyRow): Principal {
  const { organization_id, api_key_id, name, permissions, disabled_features } = row
  const granted: Partial<Record<Permission, string>> = JSON.parse(permissions)
  const disabled: Feature[] = JSON.parse(disabled_features)
  return {
    organizationId: organization_id,
    keyId: api_key_id,
    permissions: new Set(Object.keys(granted) as Permission[]),
    disabledFeatures: new Set(disabled),
    baseUrl: row.base_url,
    isAtOwnAddressOnly: row.is_at_own_address_only,
    actor: { type: 'ApiKey', id: api_key_id, name, email: null },
  }
}
