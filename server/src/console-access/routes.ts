import type { FastifyInstance } from 'fastify'
import { accountRoutes } from './account-routes.ts'
import { administratorRoutes } from './administrator-routes.ts'
import { consoleGate, consolePrefix, dataDoorRoutes } from './door-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { consoleHeaders } from './page-headers.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { savedViewRoutes } from './saved-view-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { settingRoutes } from './setting-routes.ts'

/** What the console talks to: signing in, and the endpoints that `addApi` adds, behind a session instead of a key. */
export function consoleRoutes(app: FastifyInstance, addApi: (scope: FastifyInstance) => void): void {
  app.decorateRequest('consoleSession', undefined)
  const headers = consoleHeaders(app.kit.config.baseUrl)
  app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', (_request, reply, next) => {
        reply.headers(headers)
        next()
      })
      const gate = consoleGate(app.kit)
      sessionRoutes(scope, gate)
      accountRoutes(scope, gate)
      passkeyRoutes(scope, gate)
      oidcRoutes(scope, gate)
      administratorRoutes(scope, gate)
      keyRoutes(scope, gate)
      liveRoutes(scope, gate)
      savedViewRoutes(scope, gate)
      settingRoutes(scope, gate)
      dataDoorRoutes(scope, gate, addApi)
      done()
    },
    { prefix: consolePrefix },
  )
}
