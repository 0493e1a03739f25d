import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'
import { NotFound } from '../shell/failures.tsx'
import { Shell } from '../shell/shell.tsx'

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location: { href } }) => {
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (session?.needs_second_factor) throw redirect({ to: '/setup/second-factor' })
    if (session) return
    const next = href === '/' || href === '/console' || href === '/console/' ? {} : { next: href }
    throw redirect({ to: '/sign-in', search: next })
  },
})
