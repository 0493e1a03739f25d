import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { LinkProps } from '@tanstack/react-router'

/** A page among its sisters, which are listed at its side. */
export type Section = {
  readonly to: NonNullable<LinkProps['to']>
  readonly text: string
  /** Without it the section is not in the list. */
  readonly power?: AdminPower
}

export const settingSections: readonly Section[] = [
  { to: '/settings/organization', text: 'Organization' },
  { to: '/settings/admins', text: 'Administrators', power: 'manage_administrators' },
  { to: '/settings/sign-in', text: 'Sign-in' },
  { to: '/settings/registration', text: 'Registration' },
  { to: '/settings/enrollment', text: 'Enrollment' },
  { to: '/settings/scim', text: 'SCIM' },
  { to: '/settings/privacy', text: 'Privacy' },
  { to: '/settings/retention', text: 'Retention' },
]

export const accountSections: readonly Section[] = [
  { to: '/account/security', text: 'Security' },
  { to: '/account/sessions', text: 'Sessions' },
  { to: '/account/preferences', text: 'Preferences' },
]
