import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'
import { root } from './frame.ts'

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

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
  component: lazyRouteComponent(() => import('../gates/sign-in-page.tsx'), 'SignInPage'),
})

const linkPage = lazyRouteComponent(() => import('../gates/link-page.tsx'), 'LinkPage')

const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: linkPage })

const invite = createRoute({ getParentRoute: () => root, path: '/invite', component: linkPage })

const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/setup/second-factor',
  beforeLoad: async () => {
    if (!(await queryClient.ensureQueryData(sessionQuery))) throw redirect({ to: '/sign-in' })
  },
  component: lazyRouteComponent(() => import('../gates/second-factor-page.tsx'), 'SecondFactorPage'),
})

export const gates = [signIn, setup, invite, secondFactor]
