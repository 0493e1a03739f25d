import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { given, readAfter, readChoice } from '../components/read-filters.ts'
import { readAdministratorFilters } from '../settings/administrator-filters.ts'
import { shell } from './frame.ts'

const settingsIndex = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/organization' })
  },
})

const organizationSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/organization',
  component: lazyRouteComponent(() => import('../settings/organization-page.tsx'), 'OrganizationPage'),
})

const administrators = createRoute({
  getParentRoute: () => shell,
  path: '/settings/admins',
  validateSearch: readAdministratorFilters,
  component: lazyRouteComponent(() => import('../settings/administrators-page.tsx'), 'AdministratorsPage'),
})

const administrator = createRoute({
  getParentRoute: () => shell,
  path: '/settings/admins/$administratorId',
  component: lazyRouteComponent(() => import('../settings/administrator-page.tsx'), 'AdministratorPage'),
})

const signInSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/sign-in',
  component: lazyRouteComponent(() => import('../settings/sign-in-settings-page.tsx'), 'SignInSettingsPage'),
})

const registrationSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/registration',
  component: lazyRouteComponent(() => import('../settings/registration-page.tsx'), 'RegistrationPage'),
})

const enrollmentSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/enrollment',
  validateSearch: (raw: Record<string, unknown>): { state?: 'in_force' | 'ended'; after?: string } =>
    given({ state: readChoice(raw, 'state', ['in_force', 'ended'] as const), ...readAfter(raw) }),
  component: lazyRouteComponent(() => import('../settings/enrollment-page.tsx'), 'EnrollmentPage'),
})

const scimSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/scim',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../settings/scim-page.tsx'), 'ScimPage'),
})

const privacySettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/privacy',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../settings/privacy-page.tsx'), 'PrivacyPage'),
})

const retentionSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/retention',
  component: lazyRouteComponent(() => import('../settings/retention-page.tsx'), 'RetentionPage'),
})

const accountIndex = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  beforeLoad: () => {
    throw redirect({ to: '/account/security' })
  },
})

const accountSecurity = createRoute({
  getParentRoute: () => shell,
  path: '/account/security',
  component: lazyRouteComponent(() => import('../account/security-page.tsx'), 'SecurityPage'),
})

const accountSessions = createRoute({
  getParentRoute: () => shell,
  path: '/account/sessions',
  component: lazyRouteComponent(() => import('../account/sessions-page.tsx'), 'SessionsPage'),
})

const accountPreferences = createRoute({
  getParentRoute: () => shell,
  path: '/account/preferences',
  component: lazyRouteComponent(() => import('../account/preferences-page.tsx'), 'PreferencesPage'),
})

export const settingPages = [
  ...[settingsIndex, organizationSettings, administrators, administrator, signInSettings, registrationSettings],
  ...[enrollmentSettings, scimSettings, privacySettings, retentionSettings],
  ...[accountIndex, accountSecurity, accountSessions, accountPreferences],
]
