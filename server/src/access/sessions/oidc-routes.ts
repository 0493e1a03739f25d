import { sessionOperations } from '@muster/contract/operations/console-sessions.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ServiceError } from '../../base/errors.ts'
import { OidcFailure } from '../../base/relying-party/oidc-failure.ts'
import { openRoute } from '../../http/session-endpoint.ts'
import { openOidc } from './oidc-provider.ts'
import type { ConsoleGuard } from './session-scheme.ts'
import { signInByIdentity } from './sign-in-by-identity.ts'
import { giveSession } from './welcome-routes.ts'

const path = '/session/oidc/callback'

/** Signing in through the identity provider of the settings, where there is one. Both are pages for the browser. */
export function oidcRoutes(scope: FastifyInstance, guard: ConsoleGuard): void {
  const { db, secrets, config, log } = scope.kit
  const { oidc: settings, baseUrl } = config
  if (!settings) return
  const oidc = openOidc(settings, secrets, `${baseUrl}${scope.prefix}${path}`)

  /** The page for signing in says it in words. */
  function turnAway(reply: FastifyReply, reason: OidcFailure['reason'] | 'unknown' | 'unverified' | 'deprovisioned') {
    return reply.redirect(`${baseUrl}/console/sign-in#oidc=${reason}`, 303)
  }

  function explain(reply: FastifyReply, error: unknown) {
    if (error instanceof ServiceError && error.code === 'administrator_deprovisioned') {
      return turnAway(reply, 'deprovisioned')
    }
    if (!(error instanceof OidcFailure)) throw error
    log.warn({ request_id: reply.request.id, err: error }, 'signing in through the identity provider failed')
    return turnAway(reply, error.reason)
  }

  openRoute(scope, {
    ...sessionOperations.startIdentityProviderSignIn,
    run: async ({ query, now, reply }) => {
      const asked = { organization: query.organization, isFresh: query.fresh === 'true', now }
      try {
        const { url, sealedFlow } = await oidc.begin(asked)
        return reply.header('set-cookie', guard.flowCookie.give(sealedFlow)).redirect(url, 303)
      } catch (error) {
        return explain(reply, error)
      }
    },
  })

  openRoute(scope, {
    ...sessionOperations.finishIdentityProviderSignIn,
    run: async ({ browser, now, reply }) => {
      const { headers, url } = reply.request
      reply.header('set-cookie', guard.flowCookie.clear)
      try {
        const sealedFlow = guard.flowCookie.read(headers.cookie)
        const { flow, identity } = await oidc.finish({ sealedFlow, query: url.split('?', 2)[1] ?? '', now })
        const { organization } = flow
        const provider = oidc.name
        const secret = await signInByIdentity(db, secrets, { identity, provider, organization, ...browser, now })
        if (secret === undefined) return turnAway(reply, identity.isUnverified ? 'unverified' : 'unknown')
        await giveSession(scope.kit, guard, reply, secret)
        return reply.redirect(`${baseUrl}/console/`, 303)
      } catch (error) {
        return explain(reply, error)
      }
    },
  })
}
