import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readAuditFilters } from '../audit/audit-queries.ts'
import { readAfter } from '../components/read-filters.ts'
import { readGroupFilters } from '../groups/group-queries.ts'
import { readPersonFilters } from '../people/person-queries.ts'
import { readSignInFilters } from '../sign-ins/sign-in-queries.ts'
import { shell } from './frame.ts'

const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  validateSearch: readPersonFilters,
  component: lazyRouteComponent(() => import('../people/people-page.tsx'), 'PeoplePage'),
})

const deprovisioned = createRoute({
  getParentRoute: () => shell,
  path: '/people/deprovisioned',
  validateSearch: readPersonFilters,
  component: lazyRouteComponent(() => import('../people/people-page.tsx'), 'DeprovisionedPage'),
})

const person = createRoute({
  getParentRoute: () => shell,
  path: '/people/$personId',
  component: lazyRouteComponent(() => import('../people/person-page.tsx'), 'PersonPage'),
})

const deviceGroups = createRoute({
  getParentRoute: () => shell,
  path: '/groups/devices',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('../groups/device-groups-page.tsx'), 'DeviceGroupsPage'),
})

const deviceGroup = createRoute({
  getParentRoute: () => shell,
  path: '/groups/devices/$groupId',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('../groups/device-group-page.tsx'), 'DeviceGroupPage'),
})

const personGroups = createRoute({
  getParentRoute: () => shell,
  path: '/groups/people',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('../groups/person-groups-page.tsx'), 'PersonGroupsPage'),
})

const personGroup = createRoute({
  getParentRoute: () => shell,
  path: '/groups/people/$groupId',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('../groups/person-group-page.tsx'), 'PersonGroupPage'),
})

const signIns = createRoute({
  getParentRoute: () => shell,
  path: '/sign-ins',
  validateSearch: readSignInFilters,
  component: lazyRouteComponent(() => import('../sign-ins/sign-ins-page.tsx'), 'SignInsPage'),
})

const signInEntry = createRoute({
  getParentRoute: () => shell,
  path: '/sign-ins/$signInId',
  component: lazyRouteComponent(() => import('../sign-ins/sign-in-page.tsx'), 'SignInPage'),
})

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: readAuditFilters,
  component: lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
})

const auditEntry = createRoute({
  getParentRoute: () => shell,
  path: '/audit/$entryId',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../audit/audit-entry-page.tsx'), 'AuditEntryPage'),
})

export const recordPages = [
  ...[people, deprovisioned, person, deviceGroups, deviceGroup, personGroups, personGroup],
  ...[signIns, signInEntry, audit, auditEntry],
]
