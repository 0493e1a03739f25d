import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { sessionQuery } from './api/session.ts'
import { readAuditFilters } from './audit/audit-queries.ts'
import { readCatalogueFilters, readCheckFilters, readResultFilters } from './checks/check-filters.ts'
import { given, readChoice, readId, readText } from './components/read-filters.ts'
import { dashboardLoader } from './dashboard/dashboard-loader.ts'
import { readDeviceFilters } from './devices/device-filters.ts'
import { devicePageQuery, deviceQuery } from './devices/device-queries.ts'
import { readDeviceIssueFilters, readInventoryFilters } from './devices/device-tab-filters.ts'
import { readGroupFilters } from './groups/group-queries.ts'
import { readIssueFilters } from './issues/issue-queries.ts'
import { readLiveQueryFilters } from './live-queries/live-query-queries.ts'
import { readPersonFilters } from './people/person-queries.ts'
import { readRequestFilters } from './requests/request-queries.ts'
import { readAdministratorFilters } from './settings/administrator-filters.ts'
import { Broken, NotFound } from './shell/failures.tsx'
import { Shell } from './shell/shell.tsx'
import { readSignInFilters } from './sign-ins/sign-in-queries.ts'
import { readEventFilters } from './streams/event-filters.ts'
import { readDeliveryFilters } from './webhooks/webhook-queries.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const readAfter = (raw: Readonly<Record<string, unknown>>): { after?: string } => {
  const after = textOf(raw['after'])
  return after === undefined ? {} : { after }
}

/** Only an address of the console itself: a link must not lead elsewhere after signing in. */
const ownPath = (value: unknown): string | undefined => {
  const path = textOf(value)
  return path !== undefined && /^\/console(\/(?!\/)[^\\]*)?$/.test(path) ? path : undefined
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (raw: Record<string, unknown>): { next?: string; ended?: '1' } => {
    const next = ownPath(raw['next'])
    return { ...(next !== undefined && { next }), ...(raw['ended'] === '1' && { ended: '1' as const }) }
  },
  component: lazyRouteComponent(() => import('./gates/sign-in-page.tsx'), 'SignInPage'),
})

const linkPage = lazyRouteComponent(() => import('./gates/link-page.tsx'), 'LinkPage')
const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: linkPage })
const invite = createRoute({ getParentRoute: () => root, path: '/invite', component: linkPage })

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location: { href } }) => {
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (session) return
    const next = href === '/' || href === '/console' || href === '/console/' ? {} : { next: href }
    throw redirect({ to: '/sign-in', search: next })
  },
})

const dashboard = createRoute({
  getParentRoute: () => shell,
  path: '/',
  loader: dashboardLoader,
  component: lazyRouteComponent(() => import('./dashboard/dashboard-page.tsx'), 'DashboardPage'),
})

const devices = createRoute({
  getParentRoute: () => shell,
  path: '/devices',
  validateSearch: readDeviceFilters,
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => void queryClient.prefetchQuery(devicePageQuery(deps)),
  component: lazyRouteComponent(() => import('./devices/devices-page.tsx'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => shell,
  path: '/devices/$deviceId',
  loader: ({ params }) => void queryClient.prefetchQuery(deviceQuery(params.deviceId)),
  component: lazyRouteComponent(() => import('./devices/device-page.tsx'), 'DevicePage'),
})

const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/setup/second-factor',
  beforeLoad: async () => {
    if (!(await queryClient.ensureQueryData(sessionQuery))) throw redirect({ to: '/sign-in' })
  },
  component: lazyRouteComponent(() => import('./gates/second-factor-page.tsx'), 'SecondFactorPage'),
})

const accountIndex = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  beforeLoad: () => {
    throw redirect({ to: '/account/security' })
  },
})

const settingsIndex = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/organization' })
  },
})

const accountSecurity = createRoute({
  getParentRoute: () => shell,
  path: '/account/security',
  component: lazyRouteComponent(() => import('./account/security-page.tsx'), 'SecurityPage'),
})

const accountSessions = createRoute({
  getParentRoute: () => shell,
  path: '/account/sessions',
  component: lazyRouteComponent(() => import('./account/sessions-page.tsx'), 'SessionsPage'),
})

const accountPreferences = createRoute({
  getParentRoute: () => shell,
  path: '/account/preferences',
  component: lazyRouteComponent(() => import('./account/preferences-page.tsx'), 'PreferencesPage'),
})

const organizationSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/organization',
  component: lazyRouteComponent(() => import('./settings/organization-page.tsx'), 'OrganizationPage'),
})

const administrators = createRoute({
  getParentRoute: () => shell,
  path: '/settings/admins',
  validateSearch: readAdministratorFilters,
  component: lazyRouteComponent(() => import('./settings/administrators-page.tsx'), 'AdministratorsPage'),
})

const administrator = createRoute({
  getParentRoute: () => shell,
  path: '/settings/admins/$administratorId',
  component: lazyRouteComponent(() => import('./settings/administrator-page.tsx'), 'AdministratorPage'),
})

const signInSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/sign-in',
  component: lazyRouteComponent(() => import('./settings/sign-in-settings-page.tsx'), 'SignInSettingsPage'),
})

const registrationSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/registration',
  component: lazyRouteComponent(() => import('./settings/registration-page.tsx'), 'RegistrationPage'),
})

const enrolmentSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/enrolment',
  validateSearch: (raw: Record<string, unknown>): { state?: 'in_force' | 'ended'; after?: string } =>
    given({ state: readChoice(raw, 'state', ['in_force', 'ended'] as const), after: readText(raw, 'after', 2_000) }),
  component: lazyRouteComponent(() => import('./settings/enrolment-page.tsx'), 'EnrolmentPage'),
})

const scimSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/scim',
  validateSearch: (raw: Record<string, unknown>): { after?: string } => given({ after: readText(raw, 'after', 2_000) }),
  component: lazyRouteComponent(() => import('./settings/scim-page.tsx'), 'ScimPage'),
})

const privacySettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/privacy',
  component: lazyRouteComponent(() => import('./settings/privacy-page.tsx'), 'PrivacyPage'),
})

const retentionSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/retention',
  component: lazyRouteComponent(() => import('./settings/retention-page.tsx'), 'RetentionPage'),
})

const enrol = createRoute({
  getParentRoute: () => shell,
  path: '/devices/enrol',
  component: lazyRouteComponent(() => import('./enrol/enrol-page.tsx'), 'EnrolPage'),
})

const settingPages = [
  ...[organizationSettings, administrators, administrator, signInSettings, registrationSettings],
  ...[enrolmentSettings, scimSettings, privacySettings, retentionSettings, enrol],
]
const deviceTab = <Path extends string>(path: Path) => ({ getParentRoute: () => device, path })

const deviceTabs = [
  createRoute({
    ...deviceTab('/'),
    component: lazyRouteComponent(() => import('./devices/device-overview.tsx'), 'DeviceOverview'),
  }),
  createRoute({
    ...deviceTab('/checks'),
    component: lazyRouteComponent(() => import('./devices/device-overview.tsx'), 'DeviceChecks'),
  }),
  createRoute({
    ...deviceTab('/issues'),
    validateSearch: readDeviceIssueFilters,
    component: lazyRouteComponent(() => import('./devices/device-issues.tsx'), 'DeviceIssues'),
  }),
  createRoute({
    ...deviceTab('/history'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('./devices/device-history.tsx'), 'DeviceHistory'),
  }),
  createRoute({
    ...deviceTab('/sign-ins'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('./devices/device-logs.tsx'), 'DeviceSignIns'),
  }),
  createRoute({
    ...deviceTab('/live-queries'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('./devices/device-live-queries.tsx'), 'DeviceLiveQueries'),
  }),
  createRoute({
    ...deviceTab('/inventory'),
    validateSearch: readInventoryFilters,
    component: lazyRouteComponent(() => import('./devices/device-inventory.tsx'), 'DeviceInventory'),
  }),
  createRoute({
    ...deviceTab('/audit'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('./devices/device-logs.tsx'), 'DeviceAudit'),
  }),
] as const
const accountPages = [accountIndex, settingsIndex, accountSecurity, accountSessions, accountPreferences]

const checks = createRoute({
  getParentRoute: () => shell,
  path: '/checks',
  validateSearch: readCheckFilters,
  component: lazyRouteComponent(() => import('./checks/checks-page.tsx'), 'ChecksPage'),
})

const catalogue = createRoute({
  getParentRoute: () => shell,
  path: '/checks/catalogue',
  validateSearch: readCatalogueFilters,
  component: lazyRouteComponent(() => import('./checks/catalogue-page.tsx'), 'CataloguePage'),
})

const newDraft = createRoute({
  getParentRoute: () => shell,
  path: '/checks/new',
  component: lazyRouteComponent(() => import('./drafts/new-draft-page.tsx'), 'NewDraftPage'),
})

const draft = createRoute({
  getParentRoute: () => shell,
  path: '/checks/drafts/$draftId',
  component: lazyRouteComponent(() => import('./drafts/draft-page.tsx'), 'DraftPage'),
})

const check = createRoute({
  getParentRoute: () => shell,
  path: '/checks/$checkId',
  component: lazyRouteComponent(() => import('./checks/check-page.tsx'), 'CheckPage'),
})

const checkResults = createRoute({
  getParentRoute: () => check,
  path: '/',
  validateSearch: readResultFilters,
  component: lazyRouteComponent(() => import('./checks/results-tab.tsx'), 'ResultsTab'),
})

const checkConfiguration = createRoute({
  getParentRoute: () => check,
  path: '/configuration',
  validateSearch: (raw: Record<string, unknown>): { resume?: '1' } => (raw['resume'] === '1' ? { resume: '1' } : {}),
  component: lazyRouteComponent(() => import('./checks/configuration/configuration-tab.tsx'), 'ConfigurationTab'),
})

const checkIssues = createRoute({
  getParentRoute: () => check,
  path: '/issues',
  validateSearch: readIssueFilters,
  component: lazyRouteComponent(() => import('./checks/issues-tab.tsx'), 'IssuesTab'),
})

const checkQuery = createRoute({
  getParentRoute: () => check,
  path: '/query',
  component: lazyRouteComponent(() => import('./checks/query-tab.tsx'), 'QueryTab'),
})

const checkHistory = createRoute({
  getParentRoute: () => check,
  path: '/history',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('./checks/history-tab.tsx'), 'HistoryTab'),
})

const checkTabs = [checkResults, checkIssues, checkConfiguration, checkQuery, checkHistory]

const issues = createRoute({
  getParentRoute: () => shell,
  path: '/issues',
  validateSearch: readIssueFilters,
  component: lazyRouteComponent(() => import('./issues/issues-page.tsx'), 'IssuesPage'),
})

const issue = createRoute({
  getParentRoute: () => shell,
  path: '/issues/$issueId',
  component: lazyRouteComponent(() => import('./issues/issue-page.tsx'), 'IssuePage'),
})

const exemptionRequests = createRoute({
  getParentRoute: () => shell,
  path: '/requests/exemptions',
  validateSearch: readRequestFilters,
  component: lazyRouteComponent(() => import('./requests/requests-page.tsx'), 'ExemptionRequestsPage'),
})

const registrationRequests = createRoute({
  getParentRoute: () => shell,
  path: '/requests/registrations',
  validateSearch: readRequestFilters,
  component: lazyRouteComponent(() => import('./requests/requests-page.tsx'), 'RegistrationRequestsPage'),
})

const checkPages = [
  ...[checks, catalogue, newDraft, draft, check.addChildren(checkTabs)],
  ...[issues, issue, exemptionRequests, registrationRequests],
]

const streams = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('./streams/streams-page.tsx'), 'StreamsPage'),
})

const stream = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId',
  validateSearch: readEventFilters,
  component: lazyRouteComponent(() => import('./streams/stream-page.tsx'), 'StreamPage'),
})

const newStream = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/new',
  component: lazyRouteComponent(() => import('./streams/new-stream-page.tsx'), 'NewStreamPage'),
})

const streamSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId/settings',
  component: lazyRouteComponent(() => import('./streams/stream-settings-page.tsx'), 'StreamSettingsPage'),
})

const streamKeys = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId/keys',
  component: lazyRouteComponent(() => import('./streams/stream-keys-page.tsx'), 'StreamKeysPage'),
})

const streamAudit = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId/audit',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('./streams/stream-audit-page.tsx'), 'StreamAuditPage'),
})

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/$endpointId',
  validateSearch: readDeliveryFilters,
  component: lazyRouteComponent(() => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
})

const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  validateSearch: readPersonFilters,
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
})

const deprovisioned = createRoute({
  getParentRoute: () => shell,
  path: '/people/deprovisioned',
  validateSearch: readPersonFilters,
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'DeprovisionedPage'),
})

const person = createRoute({
  getParentRoute: () => shell,
  path: '/people/$personId',
  component: lazyRouteComponent(() => import('./people/person-page.tsx'), 'PersonPage'),
})

const deviceGroups = createRoute({
  getParentRoute: () => shell,
  path: '/groups/devices',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('./groups/device-groups-page.tsx'), 'DeviceGroupsPage'),
})

const deviceGroup = createRoute({
  getParentRoute: () => shell,
  path: '/groups/devices/$groupId',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('./groups/device-group-page.tsx'), 'DeviceGroupPage'),
})

const personGroups = createRoute({
  getParentRoute: () => shell,
  path: '/groups/people',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('./groups/person-groups-page.tsx'), 'PersonGroupsPage'),
})

const personGroup = createRoute({
  getParentRoute: () => shell,
  path: '/groups/people/$groupId',
  validateSearch: readGroupFilters,
  component: lazyRouteComponent(() => import('./groups/person-group-page.tsx'), 'PersonGroupPage'),
})

const signIns = createRoute({
  getParentRoute: () => shell,
  path: '/sign-ins',
  validateSearch: readSignInFilters,
  component: lazyRouteComponent(() => import('./sign-ins/sign-ins-page.tsx'), 'SignInsPage'),
})

const signInEntry = createRoute({
  getParentRoute: () => shell,
  path: '/sign-ins/$signInId',
  component: lazyRouteComponent(() => import('./sign-ins/sign-in-page.tsx'), 'SignInPage'),
})

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: readAuditFilters,
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
})

const auditEntry = createRoute({
  getParentRoute: () => shell,
  path: '/audit/$entryId',
  component: lazyRouteComponent(() => import('./audit/audit-entry-page.tsx'), 'AuditEntryPage'),
})

const liveQueries = createRoute({
  getParentRoute: () => shell,
  path: '/live-queries',
  validateSearch: readLiveQueryFilters,
  component: lazyRouteComponent(() => import('./live-queries/live-queries-page.tsx'), 'LiveQueriesPage'),
})

const newLiveQuery = createRoute({
  getParentRoute: () => shell,
  path: '/live-queries/new',
  validateSearch: (raw: Record<string, unknown>): { from?: string; device?: string } =>
    given({ from: readId(raw, 'from'), device: readId(raw, 'device') }),
  component: lazyRouteComponent(() => import('./live-queries/new-live-query-page.tsx'), 'NewLiveQueryPage'),
})

const liveQuery = createRoute({
  getParentRoute: () => shell,
  path: '/live-queries/$queryId',
  component: lazyRouteComponent(() => import('./live-queries/live-query-page.tsx'), 'LiveQueryPage'),
})

const reportingTables = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/tables',
  validateSearch: (raw: Record<string, unknown>): { q?: string } => given({ q: readText(raw, 'q') }),
  component: lazyRouteComponent(() => import('./reporting/tables-page.tsx'), 'TablesPage'),
})

const reportingTable = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/tables/$name',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('./reporting/table-page.tsx'), 'TablePage'),
})

const reports = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/queries',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('./reporting/reports-page.tsx'), 'ReportsPage'),
})

const newReport = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/queries/new',
  validateSearch: (raw: Record<string, unknown>): { table?: string } => given({ table: readText(raw, 'table') }),
  component: lazyRouteComponent(() => import('./reporting/new-report-page.tsx'), 'NewReportPage'),
})

const report = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/queries/$queryId',
  component: lazyRouteComponent(() => import('./reporting/report-page.tsx'), 'ReportPage'),
})

const queryPages = [
  ...[liveQueries, newLiveQuery, liveQuery],
  ...[reportingTables, reportingTable, reports, newReport, report],
]
const recordPages = [
  ...queryPages,
  ...[people, deprovisioned, person, deviceGroups, deviceGroup, personGroups, personGroup],
  ...[signIns, signInEntry, audit, auditEntry],
]
const newWebhook = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/new',
  component: lazyRouteComponent(() => import('./webhooks/new-webhook-page.tsx'), 'NewWebhookPage'),
})

const webhookSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/$endpointId/settings',
  component: lazyRouteComponent(() => import('./webhooks/webhook-settings-page.tsx'), 'WebhookSettingsPage'),
})

const webhookDelivery = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/$endpointId/deliveries/$deliveryId',
  validateSearch: readDeliveryFilters,
  component: lazyRouteComponent(() => import('./webhooks/delivery-page.tsx'), 'DeliveryPage'),
})

const keys = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/keys',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
})

const newKey = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/keys/new',
  component: lazyRouteComponent(() => import('./keys/new-key-page.tsx'), 'NewKeyPage'),
})

const key = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/keys/$keyId',
  component: lazyRouteComponent(() => import('./keys/key-page.tsx'), 'KeyPage'),
})

const streamPages = [streams, newStream, stream, streamSettings, streamKeys, streamAudit]
const webhookPages = [webhooks, newWebhook, webhook, webhookSettings, webhookDelivery]
const developerPages = [...streamPages, ...webhookPages, keys, newKey, key]
const devicePages = [devices, device.addChildren(deviceTabs)]
const pages = [dashboard, ...devicePages, ...checkPages, ...recordPages, ...developerPages]
const routeTree = root.addChildren([
  signIn,
  setup,
  secondFactor,
  invite,
  shell.addChildren([...pages, ...accountPages, ...settingPages]),
])
export const router = createRouter({
  routeTree,
  basepath: '/console',
  // Plain words in the address, without the quotes of JSON; an identifier stays text.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: stringifySearchWith((value) => String(value)),
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  scrollRestoration: true,
  defaultErrorComponent: Broken,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
