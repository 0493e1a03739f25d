import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { type Permission, permissions } from '@muster/contract/permissions.ts'

export const permissionNames = Object.keys(permissions) as Permission[]

/** What the key is permitted, in the order of all permissions. */
export const grantedTo = (key: ConsoleApiKey): readonly Permission[] =>
  permissionNames.filter((name) => key.permissions[name] !== undefined)

const dayMs = 86_400_000

/** What no request has needed for 30 days; nothing while uses are recorded for less than that. */
export function unusedBy(key: ConsoleApiKey, now: number): readonly Permission[] {
  const since = now - 30 * dayMs
  if (new Date(key.uses_recorded_since).getTime() > since) return []
  return grantedTo(key).filter((name) => new Date(key.permission_uses[name] ?? 0).getTime() < since)
}
