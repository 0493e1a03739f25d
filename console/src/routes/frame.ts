import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { sessionQuery } from '../api/session.ts'
import { leftOutOf } from '../components/left-out.ts'
import { tellLeftOut } from '../components/left-out-line.tsx'
import { returnTo } from '../gates/return-address.ts'
import { MissingPage, NotFound } from '../shell/failures.tsx'
import { Shell } from '../shell/shell.tsx'
import { WaitingShell } from '../shell/waiting-shell.tsx'

type Context = {
  /** What the pages have read. */
  readonly queryClient: QueryClient
}

export const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFound })

/** By the path of the console, as the document was opened: the router has read what it knows of it by the time it is asked. */
const typed = new Map([
  [
    location.pathname.replace(/^\/console(?=\/|$)/, '') || '/',
    Object.fromEntries(new URLSearchParams(location.search)),
  ],
])

export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  pendingComponent: WaitingShell,
  pendingMs: 100,
  pendingMinMs: 0,
  beforeLoad: async ({ context: { queryClient }, location, matches, cause, preload }) => {
    const { pathname, search } = location
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (session?.needs_second_factor) throw redirect({ to: '/setup/second-factor' })
    if (session) {
      const kept = matches.at(-1)?._strictSearch ?? {}
      if (preload) return
      const leftOut = leftOutOf(typed.get(pathname) ?? search, kept)
      typed.clear()
      if (leftOut.length === 0) return
      // From within, the console only forgets what the next list does not know; nobody has typed it.
      if (cause === 'enter') tellLeftOut(pathname, leftOut)
      throw redirect({ to: pathname, search: kept, replace: true })
    }
    throw redirect({ to: '/sign-in', search: returnTo(location) })
  },
})

/** An address that no page has, for whoever has signed in: the frame stays. */
export const missing = createRoute({ getParentRoute: () => shell, path: '$', component: MissingPage })
