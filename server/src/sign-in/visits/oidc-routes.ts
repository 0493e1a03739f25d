import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wholeText } from '../../http/whole-body.ts'
import { issuerPath } from '../connections/sign-in-address.ts'
import { unknownClient } from './arrival-budgets.ts'
import { isForm } from './form-routes.ts'
import { readKnownAgent } from './known-agent.ts'
import { concludeSignIn } from './oidc-finish-routes.ts'
import { providerCall, serveProvider } from './oidc-serve-routes.ts'
import { signIns } from './sign-in-scheme.ts'
import { signOutRoutes } from './sign-out-routes.ts'
import type { VisitContext } from './visit-context.ts'
import type { Pages } from './visit-routes.ts'

const config = { scheme: signIns, kind: 'foreign', origin: 'any', isChatty: true } as const
/** A request for a sign-in, which may be a long signed one. */
const maxRequestBytes = 64 * 1024
/** What the provider reads of any other body. */
const bodyLimit = 56 * 1024
const page = { scheme: signIns, kind: 'page', origin: 'navigation', isChatty: true } as const

const authorizationPath = `${issuerPath}/auth`

/** The OpenID provider: each of its endpoints is a route, so that everything else below its address is nothing. */
export function oidcRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  // The provider reads what was read of a body, and says itself what it makes nothing of.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    '*',
    wholeText((text) => text, maxRequestBytes),
  )
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const place = await context.placeOf(request.host)
    const provider = place && (await context.providerOf(place))
    if (!provider) return reply.callNotFound()
    return serveProvider(provider.serve, providerCall({ context, pages, place, request, reply }), request, reply)
  }
  for (const path of ['/.well-known/openid-configuration', '/jwks', '/me']) {
    scope.get(`${issuerPath}${path}`, { config }, serve)
  }
  scope.post(`${issuerPath}/token`, { config, bodyLimit }, serve)
  scope.post(`${issuerPath}/me`, { config, bodyLimit }, serve)
  // The provider takes a HEAD for a GET, which would begin a sign-in or hand out a code.
  scope.get(authorizationPath, { config, exposeHeadRoute: false }, (request, reply) =>
    arrive(context, pages, request, reply),
  )
  scope.post(authorizationPath, { config }, (request, reply) => arriveByForm(context, pages, request, reply))
  scope.get(`${authorizationPath}/:uid`, { config: page, exposeHeadRoute: false }, (request, reply) =>
    concludeSignIn(context, pages, request, reply),
  )
  signOutRoutes(scope, context, pages)
}

/**
 * A request by POST (OpenID Connect Core §3.1.2.1) is the same as one by GET, for parameters that no address is long enough for. It is
 * answered in place, as a redirect would put them into one. It comes from a page of the application: without the cookies of ours.
 */
function arriveByForm(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const { raw, body } = request
  if (!isForm(request)) {
    return pages.fault(reply, 415, 'This sign-in cannot start', 'invalid_request: the request is not a form')
  }
  const url = `${authorizationPath}?${String(body ?? '')}`
  const read = Object.create(raw, { method: { value: 'GET' }, url: { value: url, writable: true } }) as IncomingMessage
  return arrive(context, pages, request, reply, read)
}

/** An application's request has arrived. One that the provider accepts becomes a sign-in with a page of its own. */
async function arrive(
  context: VisitContext,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  read = request.raw,
) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const client = clientOf(read)
  const kind = context.knownClient(place, client)?.kind
  const agent = readKnownAgent(context.secrets, place, request.headers.cookie)
  const counted = { clientId: kind ? client : unknownClient, isSigned: kind === 'second_step' }
  const arriving = { ...counted, address: request.ip, agent }
  if (!context.mayArrive(arriving)) {
    return pages.tooMany(reply, await context.applicationOf(place, client))
  }
  const found = await context.providerFor(place, client).catch((error) => {
    context.takeBack(arriving)
    throw error
  })
  if (!found) return reply.callNotFound()
  const { connection } = found
  const call = providerCall({ context, pages, place, request, reply, client, connection, arriving })
  return serveProvider(found.provider.take, call, { raw: read, body: undefined }, reply)
}

/** Two of them are none. */
function clientOf({ url = '' }: IncomingMessage): string {
  const named = new URLSearchParams(url.slice(url.indexOf('?') + 1)).getAll('client_id')
  return named.join().slice(0, 100)
}
