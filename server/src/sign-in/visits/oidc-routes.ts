import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { networkOf } from '../../base/network-of.ts'
import { findConnection } from '../connections/connection-queries.ts'
import { issuerPath } from '../connections/sign-in-address.ts'
import { scopes } from '../oidc/open-provider.ts'
import type { Again } from '../page/draw-page.ts'
import { beginSession } from '../sessions/begin-session.ts'
import { finishSignIn } from '../sessions/finish-sign-in.ts'
import { findSessionOfInteraction, type SignInSession } from '../sessions/session-queries.ts'
import { findUpstream } from '../upstreams/upstream-queries.ts'
import { askedOf } from './asked-of-upstream.ts'
import { leadUpstream } from './lead-upstream.ts'
import { cookieOf, isVisitor, type Pages } from './page-routes.ts'
import { signIns } from './sign-in-scheme.ts'
import { claimsOfSession, type Place, type VisitContext } from './visit-context.ts'

const config = { scheme: signIns, kind: 'foreign', origin: 'any', isChatty: true } as const
const page = { scheme: signIns, kind: 'page', origin: 'navigation', isChatty: true } as const

/** The OpenID provider: each of its endpoints is a route, so that everything else below its address is nothing. */
export function oidcRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  // The provider reads bodies itself, a form of 56 kB at most.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const serve = (request: FastifyRequest, reply: FastifyReply) => serveProvider(context, pages, request, reply)
  for (const path of ['/.well-known/openid-configuration', '/jwks', '/auth', '/auth/:uid', '/me']) {
    scope.get(`${issuerPath}${path}`, { config }, serve)
  }
  scope.post(`${issuerPath}/token`, { config }, serve)
  scope.post(`${issuerPath}/me`, { config }, serve)
  scope.get(`${issuerPath}/session/end`, { config: page }, (request, reply) =>
    signedOut(context, pages, request, reply),
  )
  scope.get(`${issuerPath}/interaction/:uid`, { config: page }, (request, reply) =>
    arrive(context, pages, request, reply),
  )
  scope.get(`${issuerPath}/interaction/:uid/finish`, { config: page }, (request, reply) =>
    finish(context, pages, request, reply),
  )
}

async function serveProvider(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const isArrival = request.routeOptions.url === `${issuerPath}/auth`
  const { client_id: clientId } = request.query as { client_id?: unknown }
  const client = String(clientId).slice(0, 100)
  if (isArrival && !context.mayArrive(client, request.ip)) {
    return pages.tooMany(reply, await context.applicationOf(place, client))
  }
  const provider = await context.providerOf(place, isArrival)
  addressTo(place, request)
  reply.hijack()
  await provider.callback()(request.raw, reply.raw)
  return reply
}

/** The provider sees the configured address, whatever a proxy has made of it, and its own paths. */
function addressTo({ baseUrl }: Place, { raw }: FastifyRequest): void {
  const { host, protocol } = new URL(baseUrl)
  raw.headers.host = host
  raw.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  delete raw.headers['x-forwarded-host']
  raw.headers.cookie = withoutSession(raw.headers.cookie ?? '')
  Object.assign(raw, { originalUrl: raw.url })
  raw.url = raw.url?.slice(issuerPath.length) ?? '/'
}

/** Every request is a sign-in of its own: that of another person before it would have them sign out first. */
const withoutSession = (header: string): string =>
  header
    .split(';')
    .filter((pair) => !/^\s*_session(?:[.=]|$)/.test(pair))
    .join(';')

/** An application's request has arrived: it becomes a sign-in with a page of its own. */
async function arrive(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const details = await detailsOf(context, place, request, reply)
  const clientId = String(details?.params['client_id'] ?? '')
  const connection = details && (await findConnection(context.db, place.organizationId, clientId))
  if (!details || !connection) {
    context.refused.note(clientId, 'unknown')
    return pages.fault(reply, 400, 'This sign-in has ended', ...(await wordsOfLost(context, place, request)))
  }
  const again = { applicationName: connection.name, startUrl: connection.start_url }
  const asked = (name: string): string | undefined => {
    const value = details.params[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const begun = await beginSession(
    context.db,
    {
      interactionUid: details.uid,
      connection,
      subject: asked('login_hint'),
      subjectId: asked('sub'),
      asked: askedOf(details.params),
      requestMarks: [JSON.stringify(['state', 'nonce', 'code_challenge'].map(asked))],
      network: networkOf(request.ip),
      ipAddress: request.ip,
      userAgent: String(request.headers['user-agent'] ?? ''),
    },
    context.now(),
  )
  if (typeof begun === 'string') context.refused.note(clientId, begun)
  if (begun === 'too_many') return pages.tooMany(reply, again)
  if (begun === 'replayed') {
    return pages.fault(reply, 400, 'Start from the app again', 'This request has begun a sign-in before.', again)
  }
  if (begun.secret === undefined) return reply.redirect(`/signin/${begun.id}`, 303)
  reply.header('set-cookie', cookieOf(place.baseUrl, begun.id).give(begun.secret))
  const away = connection.upstream_id === null ? undefined : await leadUpstream(context, place, begun.id)
  return reply.redirect(away ?? `/signin/${begun.id}`, 303)
}

/** What an address without an interaction says: to the browser that began it, which application it was. */
async function wordsOfLost(context: VisitContext, place: Place, request: FastifyRequest): Promise<[string, Again?]> {
  const { uid } = request.params as { uid: string }
  const session = await findSessionOfInteraction(context.db, place.organizationId, uid)
  return session && isVisitor(place, session, request) ? wordsOfEnded(session) : ['Open the app again.']
}

function wordsOfEnded({
  answered_at: answeredAt,
  application_name: applicationName,
  start_url: startUrl,
}: SignInSession) {
  const words = answeredAt === null ? 'This browser has lost what it needs.' : `${applicationName} got its answer.`
  return [words, { applicationName, startUrl }] satisfies [string, Again]
}

/**
 * Muster keeps no session, so there is none to end (OpenID Connect RP-Initiated Logout 1.0): the upstream ends its own, where
 * it can. It gets no `id_token_hint`, as its ID tokens are not kept, and so asks the person itself.
 */
async function signedOut(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const { client_id: clientId } = request.query as { client_id?: unknown }
  const asked = typeof clientId === 'string' ? clientId.slice(0, 100) : ''
  const connection = await findConnection(context.db, place.organizationId, asked)
  const upstreamId = connection?.upstream_id ?? null
  const upstream = upstreamId === null ? undefined : await findUpstream(context.db, place.organizationId, upstreamId)
  if (upstream?.end_session_endpoint) {
    const away = new URL(upstream.end_session_endpoint)
    away.searchParams.set('client_id', upstream.client_id)
    return reply.redirect(away.href, 303)
  }
  const title = connection ? `You are signed out of ${connection.name}` : 'You are signed out'
  return pages.fault(reply, 200, title, 'You can close this tab.')
}

async function detailsOf(context: VisitContext, place: Place, request: FastifyRequest, reply: FastifyReply) {
  const provider = await context.providerOf(place)
  addressTo(place, request)
  return provider.interactionDetails(request.raw, reply.raw).catch((error: Error) => {
    if (error.name === 'SessionNotFound') return undefined
    throw error
  })
}

/** Answers the application, when the sign-in may go on; leads back to its page otherwise. */
async function finish(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const { organizationId } = place
  const { uid } = request.params as { uid: string }
  const session = await findSessionOfInteraction(context.db, organizationId, uid)
  if (!session || !isVisitor(place, session, request)) {
    return pages.fault(reply, 403, 'Start from the app again', 'This sign-in began in another browser.')
  }
  const details = await detailsOf(context, place, request, reply)
  // Its page would lead back here, again and again.
  if (!details) return pages.fault(reply, 410, 'This sign-in has ended', ...wordsOfEnded(session))
  const provider = await context.providerOf(place)
  const clientId = String(details.params['client_id'])
  const isCancelled = session.state === 'ended'
  const ended = isCancelled ? undefined : await endWithGrant()
  if (!isCancelled && !ended) return reply.redirect(`/signin/${session.id}`, 303)
  const result = ended ?? refusalOf(session)
  // As `interactionFinished` does, without reading again what was just read.
  details.result = result
  await details.save(details.exp - Math.floor(Date.parse(context.now()) / 1000))
  return reply.redirect(details.returnTo, 303)

  async function endWithGrant() {
    const { db, now } = context
    if (!session?.person_id) return undefined
    const wanted = { organizationId, id: session.id, grantId: randomBytes(32).toString('base64url') }
    const change = { cause: ulid(), now: now() }
    const answered = await transact(db, (tx) => finishSignIn(tx, wanted, change))
    if (!answered) return undefined
    const { subject: accountId, grantId } = answered
    const grant = Object.assign(new provider.Grant({ accountId, clientId }), { jti: grantId })
    const said = answered.session.upstream?.said
    grant.addOIDCScope(said ? scopes.join(' ') : 'openid')
    await grant.save()
    const { acr, amr } = claimsOfSession(answered.session)
    const ts = said?.authTime === undefined ? {} : { ts: said.authTime }
    // What the request asked for was the upstream's to do, and is done.
    const prompts = String(details?.params['prompt'] ?? '').split(' ')
    const resolved = Object.fromEntries(prompts.filter((name) => name === 'select_account').map((name) => [name, {}]))
    return { ...resolved, login: { accountId, acr, amr, remember: false, ...ts }, consent: { grantId } }
  }
}

/** What the application is told of a sign-in that ended without an answer. */
const refusalOf = ({ oauth_error: error }: SignInSession) =>
  error === null
    ? { error: 'access_denied', error_description: 'The person canceled.' }
    : { error, error_description: 'The identity provider of the person answered this.' }
