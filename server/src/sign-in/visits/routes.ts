import type { FastifyInstance } from 'fastify'
import type { Counter } from 'prom-client'
import { wholeText } from '../../http/whole-body.ts'
import { codeRoutes } from './code-routes.ts'
import { entraRoutes } from './entra-routes.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { pageRoutes } from './page-routes.ts'
import { openPageShell } from './page-shell-routes.ts'
import { stepRoutes } from './step-routes.ts'
import { upstreamRoutes } from './upstream-routes.ts'
import { type VisitParts, visitContext } from './visit-context.ts'
import { openVisits } from './visit-routes.ts'

const maxFormBytes = 16 * 1024

/** Signing in: the OpenID provider of each organization, and the pages that people see. Returns what is counted there. */
export function visitRoutes(app: FastifyInstance, parts: VisitParts): readonly Counter<'reason'>[] {
  const context = visitContext(parts)
  app.register((scope, _options, done) => {
    // Redirects too: an address of a sign-in is for nobody to read.
    scope.addHook('onRequest', (_request, reply, next) => {
      reply.header('referrer-policy', 'no-referrer')
      next()
    })
    scope.removeAllContentTypeParsers()
    const json = wholeText(parseJson, maxFormBytes)
    const form = wholeText((text) => Object.fromEntries(new URLSearchParams(text)), maxFormBytes)
    scope.addContentTypeParser('application/json', json)
    scope.addContentTypeParser('application/x-www-form-urlencoded', form)
    const shell = openPageShell(scope, context)
    const pages = { ...shell, ...openVisits(context, shell) }
    pageRoutes(scope, context, pages)
    stepRoutes(scope, context, pages)
    codeRoutes(scope, pages)
    upstreamRoutes(scope, context, pages)
    scope.register((inner, _inner, ready) => {
      oidcRoutes(inner, context, pages)
      ready()
    })
    scope.register((inner, _inner, ready) => {
      entraRoutes(inner, context, pages)
      ready()
    })
    done()
  })
  return [context.refused.counter]
}

/** What is not JSON says nothing. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
