import { createRouter, stringifySearchWith } from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { checkPages } from './routes/checks.ts'
import { connectionPages } from './routes/connections.ts'
import { developerPages } from './routes/developers.ts'
import { devicePages } from './routes/devices.ts'
import { missing, root, shell } from './routes/frame.ts'
import { gates } from './routes/gates.ts'
import { queryPages } from './routes/queries.ts'
import { recordPages } from './routes/records.ts'
import { settingPages } from './routes/settings.ts'
import { Broken } from './shell/failures.tsx'

const pages = [
  ...devicePages,
  ...checkPages,
  ...recordPages,
  ...connectionPages,
  ...queryPages,
  ...developerPages,
  ...settingPages,
  missing,
]

export const router = createRouter({
  routeTree: root.addChildren([...gates, shell.addChildren(pages)]),
  basepath: '/console',
  context: { queryClient },
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
