import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from './frame.ts'

const connections = createRoute({
  getParentRoute: () => shell,
  path: '/connections',
  component: lazyRouteComponent(() => import('../sign-in/connections-page.tsx'), 'ConnectionsPage'),
})

const newConnection = createRoute({
  getParentRoute: () => shell,
  path: '/connections/new',
  component: lazyRouteComponent(() => import('../sign-in/new-connection-page.tsx'), 'NewConnectionPage'),
})

const keys = createRoute({
  getParentRoute: () => shell,
  path: '/connections/keys',
  component: lazyRouteComponent(() => import('../sign-in/signing-keys-page.tsx'), 'SigningKeysPage'),
})

const browsers = createRoute({
  getParentRoute: () => shell,
  path: '/connections/browsers',
  component: lazyRouteComponent(() => import('../sign-in/managed-browsers-page.tsx'), 'ManagedBrowsersPage'),
})

const upstreams = createRoute({
  getParentRoute: () => shell,
  path: '/connections/upstreams',
  component: lazyRouteComponent(() => import('../sign-in/upstreams-page.tsx'), 'UpstreamsPage'),
})

const newUpstream = createRoute({
  getParentRoute: () => shell,
  path: '/connections/upstreams/new',
  component: lazyRouteComponent(() => import('../sign-in/new-upstream-page.tsx'), 'NewUpstreamPage'),
})

const upstream = createRoute({
  getParentRoute: () => shell,
  path: '/connections/upstreams/$upstreamId',
  component: lazyRouteComponent(() => import('../sign-in/upstream-page.tsx'), 'UpstreamPage'),
})

const connection = createRoute({
  getParentRoute: () => shell,
  path: '/connections/$connectionId',
  component: lazyRouteComponent(() => import('../sign-in/connection-page.tsx'), 'ConnectionPage'),
})

const connectionSetup = createRoute({
  getParentRoute: () => shell,
  path: '/connections/$connectionId/setup',
  component: lazyRouteComponent(() => import('../sign-in/connection-setup-page.tsx'), 'ConnectionSetupPage'),
})

const connectionSettings = createRoute({
  getParentRoute: () => shell,
  path: '/connections/$connectionId/settings',
  component: lazyRouteComponent(() => import('../sign-in/connection-settings-page.tsx'), 'ConnectionSettingsPage'),
})

export const connectionPages = [
  ...[connections, newConnection, upstreams, newUpstream, upstream, keys, browsers],
  ...[connection, connectionSetup, connectionSettings],
]
