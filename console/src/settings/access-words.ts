import { type AdminPower, adminPowerNames, adminPowers } from '@muster/contract/admin-powers.ts'
import type { AdminAccess } from '@muster/contract/admin-users.ts'
import { permissions } from '@muster/contract/permissions.ts'

export const accessWords: Readonly<Record<AdminAccess, string>> = {
  full: 'Full',
  limited: 'Limited',
  billing_only: 'Billing only',
}

export const powerTexts: Readonly<Record<AdminPower, { readonly title: string; readonly description: string }>> = {
  ...permissions,
  ...adminPowers,
}

/** What limited access can hold; the others are for full access only. */
export const limitedPowers = adminPowerNames.filter(
  (power) => power !== 'reveal_keys' && power !== 'manage_administrators',
)

type Rights = { readonly access: AdminAccess; readonly restrictions: readonly string[] }

/** `Limited, 2 restrictions`. */
export function rightsInWords({ access, restrictions }: Rights): string {
  if (access !== 'limited' || restrictions.length === 0) return accessWords[access]
  return `Limited, ${restrictions.length === 1 ? '1 restriction' : `${restrictions.length} restrictions`}`
}
