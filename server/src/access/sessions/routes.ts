import type { FastifyInstance } from 'fastify'
import { addApiForSessions, consolePrefix, type SessionGuard, sessionGuard } from '../../http/session-guard.ts'
import { accountRoutes } from './account-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { organizationSettingRoutes } from './organization-routes.ts'
import { consoleHeaders } from './page-headers.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { sessionRoutes } from './session-routes.ts'

type Features = {
  /** What each feature answers to sessions alone. */
  readonly addSessionRoutes: readonly ((scope: FastifyInstance, guard: SessionGuard) => void)[]
  /** The endpoints that a session reaches as a key does. */
  readonly addApi: (scope: FastifyInstance) => void
}

/** What the console talks to: signing in, the routes of sessions, and the API behind a session instead of a key. */
export function consoleRoutes(app: FastifyInstance, features: Features): void {
  app.decorateRequest('consoleSession', undefined)
  const headers = consoleHeaders(app.kit.config.baseUrl)
  app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', (_request, reply, next) => {
        reply.headers(headers)
        next()
      })
      const guard = sessionGuard(app.kit)
      sessionRoutes(scope, guard)
      accountRoutes(scope, guard)
      passkeyRoutes(scope, guard)
      oidcRoutes(scope, guard)
      liveRoutes(scope, guard)
      organizationSettingRoutes(scope, guard)
      for (const add of features.addSessionRoutes) add(scope, guard)
      addApiForSessions(scope, guard, features.addApi)
      done()
    },
    { prefix: consolePrefix },
  )
}
