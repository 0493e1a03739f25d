import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { sessionQuery } from '../api/session.ts'
import { root } from './frame.ts'

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next, ended }: Record<string, unknown>): { next?: string; ended?: '1' } => ({
    ...(typeof next === 'string' && { next }),
    ...(ended === '1' && { ended }),
  }),
  component: lazyRouteComponent(() => import('../gates/sign-in-page.tsx'), 'SignInPage'),
})

const linkPage = lazyRouteComponent(() => import('../gates/link-page.tsx'), 'LinkPage')

const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: linkPage })

const invite = createRoute({ getParentRoute: () => root, path: '/invite', component: linkPage })

const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/setup/second-factor',
  beforeLoad: async ({ context: { queryClient } }) => {
    if (!(await queryClient.ensureQueryData(sessionQuery))) throw redirect({ to: '/sign-in' })
  },
  component: lazyRouteComponent(() => import('../gates/second-factor-page.tsx'), 'SecondFactorPage'),
})

export const gates = [signIn, setup, invite, secondFactor]
