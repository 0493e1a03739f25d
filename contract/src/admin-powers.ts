import { permissions } from './permissions.ts'

/** What administrators may do besides what keys may be permitted to do. */
export const adminPowers = {
  manage_keys: {
    title: 'Manage API Keys',
    description: 'Create and revoke API keys, and change what they may do.',
  },
  reveal_keys: { title: 'Reveal API Keys', description: 'See API keys in clear. For full access only.' },
  manage_administrators: {
    title: 'Manage Administrators',
    description: 'Invite administrators, change what they may do and end their sessions. For full access only.',
  },
  manage_settings: {
    title: 'Manage Settings',
    description: 'Rename the organization, and make and revoke enrolment secrets, packages and SCIM tokens.',
  },
} as const satisfies Record<string, { title: string; description: string }>

export type AdminPower = keyof typeof permissions | keyof typeof adminPowers
export const adminPowerNames = [...Object.keys(permissions), ...Object.keys(adminPowers)] as AdminPower[]
