import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readAfter } from '../components/read-filters.ts'
import { dashboardLoader } from '../dashboard/dashboard-loader.ts'
import { readDeviceFilters } from '../devices/device-filters.ts'
import { devicePageQuery, deviceQuery } from '../devices/device-queries.ts'
import { readDeviceIssueFilters, readInventoryFilters } from '../devices/device-tab-filters.ts'
import { readEnrollChoice } from '../enroll/enroll-choice.ts'
import { shell } from './frame.ts'

const dashboard = createRoute({
  getParentRoute: () => shell,
  path: '/',
  loader: dashboardLoader,
  component: lazyRouteComponent(() => import('../dashboard/dashboard-page.tsx'), 'DashboardPage'),
})

const devices = createRoute({
  getParentRoute: () => shell,
  path: '/devices',
  validateSearch: readDeviceFilters,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => void queryClient.prefetchQuery(devicePageQuery(deps)),
  component: lazyRouteComponent(() => import('../devices/devices-page.tsx'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => shell,
  path: '/devices/$deviceId',
  loader: ({ context: { queryClient }, params }) => void queryClient.prefetchQuery(deviceQuery(params.deviceId)),
  component: lazyRouteComponent(() => import('../devices/device-page.tsx'), 'DevicePage'),
})

const deviceTab = <Path extends string>(path: Path) => ({ getParentRoute: () => device, path })

const deviceTabs = [
  createRoute({
    ...deviceTab('/'),
    component: lazyRouteComponent(() => import('../devices/device-overview.tsx'), 'DeviceOverview'),
  }),
  createRoute({
    ...deviceTab('/checks'),
    component: lazyRouteComponent(() => import('../devices/device-overview.tsx'), 'DeviceChecks'),
  }),
  createRoute({
    ...deviceTab('/issues'),
    validateSearch: readDeviceIssueFilters,
    component: lazyRouteComponent(() => import('../devices/device-issues.tsx'), 'DeviceIssues'),
  }),
  createRoute({
    ...deviceTab('/history'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('../devices/device-history.tsx'), 'DeviceHistory'),
  }),
  createRoute({
    ...deviceTab('/sign-ins'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('../devices/device-logs.tsx'), 'DeviceSignIns'),
  }),
  createRoute({
    ...deviceTab('/live-queries'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('../devices/device-live-queries.tsx'), 'DeviceLiveQueries'),
  }),
  createRoute({
    ...deviceTab('/inventory'),
    validateSearch: readInventoryFilters,
    component: lazyRouteComponent(() => import('../devices/device-inventory.tsx'), 'DeviceInventory'),
  }),
  createRoute({
    ...deviceTab('/audit'),
    validateSearch: readAfter,
    component: lazyRouteComponent(() => import('../devices/device-logs.tsx'), 'DeviceAudit'),
  }),
] as const

const enroll = createRoute({
  getParentRoute: () => shell,
  path: '/devices/enroll',
  validateSearch: readEnrollChoice,
  component: lazyRouteComponent(() => import('../enroll/enroll-page.tsx'), 'EnrollPage'),
})

export const devicePages = [dashboard, devices, device.addChildren(deviceTabs), enroll]
