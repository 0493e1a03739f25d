import { permissions } from './permissions.ts'

/** What administrators may do in addition to what keys may be permitted to do. */
export const adminPowers = {
  manage_keys: {
    title: 'Manage API Keys',
    description: 'Create and revoke API keys, and change what they may do. For full access only.',
  },
  reveal_keys: { title: 'Reveal API Keys', description: 'Reveal API keys. For full access only.' },
  manage_administrators: {
    title: 'Manage Administrators',
    description: 'Invite administrators, change what they may do and end their sessions. For full access only.',
  },
  manage_settings: {
    title: 'Manage Settings',
    description: 'Rename the organization, and make and revoke enrollment secrets, packages and SCIM tokens.',
  },
  manage_sign_in: {
    title: 'Manage Sign-in',
    description:
      'Add and change the connections that people sign in through, replace the keys that sign for them, and forget the accounts that people sign in with.',
  },
  bypass_sign_in: {
    title: 'Bypass Sign-in',
    description: 'Give a person a code that lets them in once without the check of their device.',
  },
} as const satisfies Record<string, { title: string; description: string }>

/** What an administrator with limited access never has. */
export const fullAccessPowers = ['manage_keys', 'reveal_keys', 'manage_administrators'] as const

export type AdminPower = keyof typeof permissions | keyof typeof adminPowers
export const adminPowerNames = [...Object.keys(permissions), ...Object.keys(adminPowers)] as AdminPower[]

/** Of keys only: in the console the power to manage settings says it. */
const keysOnly: readonly AdminPower[] = ['download_packages']

/** What limited access can hold. */
export const limitedPowers: readonly AdminPower[] = adminPowerNames.filter(
  (power) => !fullAccessPowers.some((full) => full === power) && !keysOnly.includes(power),
)

/** The restrictions that leave an administrator with limited access these powers, and no others. */
export const restrictionsLeaving = (powers: readonly AdminPower[]): AdminPower[] =>
  limitedPowers.filter((power) => !powers.includes(power))
