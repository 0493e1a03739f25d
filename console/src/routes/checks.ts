import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readCatalogueFilters, readCheckFilters, readResultFilters } from '../checks/check-filters.ts'
import { readAfter } from '../components/read-filters.ts'
import { readIssueFilters } from '../issues/issue-queries.ts'
import { readRequestFilters } from '../requests/request-filters.ts'
import { shell } from './frame.ts'

const checks = createRoute({
  getParentRoute: () => shell,
  path: '/checks',
  validateSearch: readCheckFilters,
  component: lazyRouteComponent(() => import('../checks/checks-page.tsx'), 'ChecksPage'),
})

const catalogue = createRoute({
  getParentRoute: () => shell,
  path: '/checks/catalogue',
  validateSearch: readCatalogueFilters,
  component: lazyRouteComponent(() => import('../checks/catalogue-page.tsx'), 'CataloguePage'),
})

const newDraft = createRoute({
  getParentRoute: () => shell,
  path: '/checks/new',
  component: lazyRouteComponent(() => import('../drafts/new-draft-page.tsx'), 'NewDraftPage'),
})

const draft = createRoute({
  getParentRoute: () => shell,
  path: '/checks/drafts/$draftId',
  component: lazyRouteComponent(() => import('../drafts/draft-page.tsx'), 'DraftPage'),
})

const check = createRoute({
  getParentRoute: () => shell,
  path: '/checks/$checkId',
  component: lazyRouteComponent(() => import('../checks/check-page.tsx'), 'CheckPage'),
})

const checkResults = createRoute({
  getParentRoute: () => check,
  path: '/',
  validateSearch: readResultFilters,
  component: lazyRouteComponent(() => import('../checks/results-tab.tsx'), 'ResultsTab'),
})

/** `resume`: begin with the check running. `revert`: begin with what was configured after that entry of the audit log. */
function readConfigurationSearch(raw: Record<string, unknown>): { resume?: '1'; revert?: string } {
  if (raw['resume'] === '1') return { resume: '1' }
  const revert = String(raw['revert'] ?? '')
  return /^\d{1,18}$/.test(revert) ? { revert } : {}
}

const checkConfiguration = createRoute({
  getParentRoute: () => check,
  path: '/configuration',
  validateSearch: readConfigurationSearch,
  component: lazyRouteComponent(() => import('../checks/configuration/configuration-tab.tsx'), 'ConfigurationTab'),
})

const checkIssues = createRoute({
  getParentRoute: () => check,
  path: '/issues',
  validateSearch: readIssueFilters,
  component: lazyRouteComponent(() => import('../issues/issues-tab.tsx'), 'IssuesTab'),
})

const checkQuery = createRoute({
  getParentRoute: () => check,
  path: '/query',
  component: lazyRouteComponent(() => import('../checks/query-tab.tsx'), 'QueryTab'),
})

const checkHistory = createRoute({
  getParentRoute: () => check,
  path: '/history',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../checks/history-tab.tsx'), 'HistoryTab'),
})

const checkTabs = [checkResults, checkIssues, checkConfiguration, checkQuery, checkHistory]

const issues = createRoute({
  getParentRoute: () => shell,
  path: '/issues',
  validateSearch: readIssueFilters,
  component: lazyRouteComponent(() => import('../issues/issues-page.tsx'), 'IssuesPage'),
})

const issue = createRoute({
  getParentRoute: () => shell,
  path: '/issues/$issueId',
  component: lazyRouteComponent(() => import('../issues/issue-page.tsx'), 'IssuePage'),
})

const exemptionRequests = createRoute({
  getParentRoute: () => shell,
  path: '/requests/exemptions',
  validateSearch: readRequestFilters,
  component: lazyRouteComponent(() => import('../requests/requests-page.tsx'), 'ExemptionRequestsPage'),
})

const registrationRequests = createRoute({
  getParentRoute: () => shell,
  path: '/requests/registrations',
  validateSearch: readRequestFilters,
  component: lazyRouteComponent(() => import('../requests/requests-page.tsx'), 'RegistrationRequestsPage'),
})

const exemptionRequest = createRoute({
  getParentRoute: () => shell,
  path: '/requests/exemptions/$requestId',
  component: lazyRouteComponent(() => import('../requests/request-page.tsx'), 'ExemptionRequestPage'),
})

const registrationRequest = createRoute({
  getParentRoute: () => shell,
  path: '/requests/registrations/$requestId',
  component: lazyRouteComponent(() => import('../requests/request-page.tsx'), 'RegistrationRequestPage'),
})

export const checkPages = [
  ...[checks, catalogue, newDraft, draft, check.addChildren(checkTabs)],
  ...[issues, issue, exemptionRequests, registrationRequests, exemptionRequest, registrationRequest],
]
