import type { Section } from '../components/section-frame.tsx'

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
