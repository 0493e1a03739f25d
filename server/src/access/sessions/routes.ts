import type { FastifyInstance } from 'fastify'
import { consolePrefix } from '../../http/console-address.ts'
import { accountRoutes } from './account-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { organizationSettingRoutes } from './organization-routes.ts'
import { consoleHeaders } from './page-headers.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { consoleGuard, consoleKit } from './session-scheme.ts'

/** What the console talks to: signing in, the account, and what the features answer to a session. */
export function consoleRoutes(app: FastifyInstance, addFeatures: (scope: FastifyInstance) => void): void {
  const headers = consoleHeaders(app.kit.config.baseUrl)
  app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', (_request, reply, next) => {
        reply.headers(headers)
        next()
      })
      const guard = consoleGuard(app.kit)
      // A decorator may not be given again to a part of the app; the property may.
      Object.defineProperty(scope, 'kit', { value: consoleKit(app.kit, guard) })
      sessionRoutes(scope, guard)
      accountRoutes(scope, guard)
      passkeyRoutes(scope, guard)
      oidcRoutes(scope, guard)
      liveRoutes(scope, guard)
      organizationSettingRoutes(scope)
      addFeatures(scope)
      done()
    },
    { prefix: consolePrefix },
  )
}
