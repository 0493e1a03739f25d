import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { given, readAfter, readId, readText } from '../components/read-filters.ts'
import { readLiveQueryFilters } from '../live-queries/live-query-queries.ts'
import { shell } from './frame.ts'

const liveQueries = createRoute({
  getParentRoute: () => shell,
  path: '/live-queries',
  validateSearch: readLiveQueryFilters,
  component: lazyRouteComponent(() => import('../live-queries/live-queries-page.tsx'), 'LiveQueriesPage'),
})

const newLiveQuery = createRoute({
  getParentRoute: () => shell,
  path: '/live-queries/new',
  validateSearch: (raw: Record<string, unknown>): { from?: string; device?: string } =>
    given({ from: readId(raw, 'from'), device: readId(raw, 'device') }),
  component: lazyRouteComponent(() => import('../live-queries/new-live-query-page.tsx'), 'NewLiveQueryPage'),
})

const liveQuery = createRoute({
  getParentRoute: () => shell,
  path: '/live-queries/$queryId',
  component: lazyRouteComponent(() => import('../live-queries/live-query-page.tsx'), 'LiveQueryPage'),
})

const reportingTables = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/tables',
  validateSearch: (raw: Record<string, unknown>): { q?: string } => given({ q: readText(raw, 'q') }),
  component: lazyRouteComponent(() => import('../reporting/tables-page.tsx'), 'TablesPage'),
})

const reportingTable = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/tables/$name',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../reporting/table-page.tsx'), 'TablePage'),
})

const reports = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/queries',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../reporting/reports-page.tsx'), 'ReportsPage'),
})

const newReport = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/queries/new',
  validateSearch: (raw: Record<string, unknown>): { table?: string } => given({ table: readText(raw, 'table') }),
  component: lazyRouteComponent(() => import('../reporting/new-report-page.tsx'), 'NewReportPage'),
})

const report = createRoute({
  getParentRoute: () => shell,
  path: '/reporting/queries/$queryId',
  component: lazyRouteComponent(() => import('../reporting/report-page.tsx'), 'ReportPage'),
})

export const queryPages = [
  ...[liveQueries, newLiveQuery, liveQuery],
  ...[reportingTables, reportingTable, reports, newReport, report],
]
