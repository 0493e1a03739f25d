import { type AdminPower, adminPowers, limitedPowers } from '@muster/contract/admin-powers.ts'
import { adminPresets, presetOf } from '@muster/contract/admin-presets.ts'
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

type Rights = { readonly access: AdminAccess; readonly restrictions: readonly string[] }

/** `Limited: Help desk`, or `Limited: 3 of 13 permissions`. */
export function rightsInWords({ access, restrictions }: Rights): string {
  if (access !== 'limited') return accessWords[access]
  const preset = presetOf(restrictions)
  if (preset !== undefined) return `Limited: ${adminPresets[preset].title}`
  const held = limitedPowers.filter((power) => !restrictions.includes(power)).length
  return `Limited: ${held} of ${limitedPowers.length} permissions`
}
