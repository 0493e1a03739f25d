import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { giveChallenge } from '../../agents/device-proofs/give-challenge.ts'
import { type Reader, transact } from '../../base/db/transact.ts'
import { secretCookie } from '../../base/secrets/secret-cookie.ts'
import { abandonmentOf } from '../../http/abandonment.ts'
import { pageHeaders } from '../../http/page/page-headers.ts'
import { identifierOf } from '../../http/record-id.ts'
import { occasionOf } from '../../http/request-source.ts'
import {
  type Again,
  drawFault,
  drawMessage,
  drawPage,
  drawRegion,
  drawReturnPage,
  type Message,
} from '../page/draw-page.ts'
import { openAssets } from '../page/page-assets.ts'
import { type Act, actOnSession } from '../sessions/act-on-session.ts'
import { cancelSession } from '../sessions/cancel-session.ts'
import { type Judged, judge } from '../sessions/judge.ts'
import { noteUndetected } from '../sessions/note-undetected.ts'
import { proveSession } from '../sessions/prove-session.ts'
import { hashOf } from '../sessions/session-codes.ts'
import { findSession, findVisited, type SignInSession } from '../sessions/session-queries.ts'
import { isSettled, settleSession } from '../sessions/settle-session.ts'
import { waiveLoop } from '../sessions/waive-loop.ts'
import { wordsOfError } from './error-words.ts'
import { finishPathOf } from './finish-path.ts'
import { type FormOf, formOptions, isForm, type PageForm, readForm } from './form-routes.ts'
import { findAgentPort, readKnownAgent, rememberAgent } from './known-agent.ts'
import { sessionWaits } from './session-waits.ts'
import { signIns } from './sign-in-scheme.ts'
import { viewOfSession } from './view-of-session.ts'
import type { Place, VisitContext } from './visit-context.ts'

export const page = { scheme: signIns, kind: 'page', origin: 'any', isChatty: true } as const

const html = 'text/html; charset=utf-8'

type Visited = Pick<SignInSession, 'organization_id' | 'id' | 'cookie_hash'>
type Find<Session> = (reader: Reader, organizationId: string, id: string) => Promise<Session | undefined>
type Shown = { place: Place; session: SignInSession; judged: Judged }

export type Pages = ReturnType<typeof pageRoutes>

export const cookieOf = (baseUrl: string, sessionId: string) =>
  secretCookie(baseUrl, { name: `muster-si-${sessionId.slice(0, 8)}`, seconds: 3_600, form: /^[\w-]{43}$/ })

export const tooManyWords = ['Too many sign-ins', 'Many sign-ins began from your network. Wait 10 minutes.'] as const

/** Whether the request comes from the browser that began the sign-in. */
export function isVisitor({ baseUrl }: Place, session: Visited, { headers }: FastifyRequest): boolean {
  const secret = cookieOf(baseUrl, session.id).read(headers.cookie)
  return secret !== undefined && timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), session.cookie_hash)
}

/** The page of a sign-in, and what its script and forms ask for. */
export function pageRoutes(scope: FastifyInstance, context: VisitContext) {
  const { assets: own, files } = openAssets()
  const { db, notice } = context
  const assets = { ...own, notice }

  const headers = {
    ...pageHeaders({
      ...{ 'script-src': "'self'", 'style-src': "'self'", 'font-src': "'self'", 'img-src': "'self'" },
      'connect-src': ["'self'", ...context.ports.map((port) => `http://127.0.0.1:${port}`)].join(' '),
      ...{ 'require-trusted-types-for': "'script'", 'trusted-types': 'muster-region' },
      // An application's way back leads over hosts of its own.
      forms: 'anywhere',
    }),
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  }

  function send(reply: FastifyReply, body: string): FastifyReply {
    return reply.headers(headers).type(html).send(body)
  }

  const drawFaultPage = (title: string, text: string, again?: Again): string => drawFault(title, text, assets, again)

  const message = (reply: FastifyReply, status: number, what: Message): FastifyReply =>
    send(reply.code(status), drawMessage(what, assets))

  const fault = (reply: FastifyReply, status: number, title: string, text: string, again?: Again): FastifyReply =>
    send(reply.code(status), drawFaultPage(title, text, again))

  // Of whatever is asked below the address, also where no route is.
  scope.errorPages.push({
    address: '/signin',
    draw: ({ code }, status, isForm) => ({
      headers: { ...headers, 'content-type': html, ...(status >= 500 && { 'retry-after': '5' }) },
      body: drawFaultPage(...wordsOfError(code, status, isForm)),
    }),
  })

  const tooMany = (reply: FastifyReply, again: Again | undefined): FastifyReply =>
    fault(reply.header('retry-after', '600'), 429, ...tooManyWords, again)

  const gone = (reply: FastifyReply) => fault(reply, 404, 'This sign-in has ended', 'Open the app again.')

  /** The sign-in of a request from the browser that began it; answers the request otherwise. */
  async function visitedAs<Session extends Visited>(request: FastifyRequest, reply: FastifyReply, find: Find<Session>) {
    const place = await context.placeOf(request.host)
    const { id } = request.params as { id: string }
    const session = place && /^[0-9a-f]{24}$/.test(id) ? await find(db, place.organizationId, id) : undefined
    if (!place || !session) {
      gone(reply)
      return undefined
    }
    const isOwn = request.method === 'GET' || isOwnPage(place, request)
    if (isOwn && isVisitor(place, session, request)) return { place, session }
    fault(reply, 403, 'Start from the app again', 'This sign-in began in another browser.')
    return undefined
  }

  const visited = (request: FastifyRequest, reply: FastifyReply) => visitedAs(request, reply, findSession)

  async function viewOf({ place, session, judged }: Shown, request: FastifyRequest, { isWholePage = false } = {}) {
    const { organizationId } = place
    const now = context.now()
    const known = readKnownAgent(context.secrets, place, request.headers.cookie)
    const agent = known && (await findAgentPort(db, { organizationId, deviceId: known.deviceId }, now))
    return viewOfSession(db, session, {
      ...{ judged, isWholePage },
      address: new URL(place.baseUrl).host,
      ports: context.ports,
      now,
      // An agent that has started again may listen at another port.
      knownPort: agent?.port ?? known?.port ?? null,
      bouncePort: agent?.isReachable ? agent.port : null,
    })
  }

  async function current(
    { place, session }: { place: Place; session: SignInSession },
    request: FastifyRequest,
  ): Promise<Shown | undefined> {
    const { organization_id: organizationId, id } = session
    const now = context.now()
    const judged = await judge(db, session, { now })
    if (isSettled(session, judged)) return { place, session, judged }
    const settled = await transact(db, (tx) => settleSession(tx, { organizationId, id }, occasionOf(request, now)))
    return settled && { place, ...settled }
  }

  /** A visited sign-in as it is now; answers the request where it was dropped meanwhile. */
  async function shownNow(visit: { place: Place; session: SignInSession }, reply: FastifyReply) {
    const found = await current(visit, reply.request)
    if (!found) gone(reply)
    return found
  }

  /** The sign-in of a request as it is now; answers the request otherwise. */
  async function shown(request: FastifyRequest, reply: FastifyReply): Promise<Shown | undefined> {
    const visit = await visited(request, reply)
    return visit && shownNow(visit, reply)
  }

  const onError = (error: unknown) => context.warn({ err: error }, 'Open sign-ins could not be looked at')
  const waits = sessionWaits(db, context.now, onError)
  // Before the server waits for its requests to end.
  scope.addHook('preClose', async () => waits.stop())

  scope.get('/signin/assets/:name', { config: page }, (request, reply) => {
    const file = files.get((request.params as { name: string }).name)
    if (!file) return reply.callNotFound()
    const isPacked = file.packed && /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
    if (isPacked) reply.header('content-encoding', 'br')
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .type(file.type)
      .send(isPacked ? file.packed : file.bytes)
  })
  scope.get('/signin/return', { config: page }, (_request, reply) => send(reply, drawReturnPage(assets)))
  scope.get('/signin/:id', { config: page }, async (request, reply) => {
    const visit = await shown(request, reply)
    return visit ? send(reply, drawPage(await viewOf(visit, request, { isWholePage: true }), assets)) : reply
  })
  scope.get('/signin/:id/region', { config: page }, async (request, reply) => {
    const visit = await shown(request, reply)
    return visit ? send(reply, drawRegion(await viewOf(visit, request))) : reply
  })
  scope.get('/signin/:id/news', { config: page }, async (request, reply) => {
    const visit = await visited(request, reply)
    if (!visit) return reply
    const { seen } = request.query as { seen?: unknown }
    const caller = { address: request.ip, signal: abandonmentOf(reply) }
    const mark = await waits.markAfter(visit.session, typeof seen === 'string' ? seen : '', caller)
    if (mark === undefined) return reply.code(429).header('retry-after', '5').send()
    return reply.header('cache-control', 'no-store').send({ mark })
  })

  type Visit<Session, Name extends PageForm> = {
    place: Place
    session: Session
    form: FormOf<Name>
    request: FastifyRequest
  }
  type Work<Session, Name extends PageForm> = (visit: Visit<Session, Name>, reply: FastifyReply) => Promise<unknown>
  const onPost = <Name extends PageForm>(name: Name, work: Work<SignInSession, Name>) =>
    onPostAs(name, findSession, work)
  const onPostAs = <Session extends Visited, Name extends PageForm>(
    name: Name,
    find: Find<Session>,
    work: Work<Session, Name>,
  ) =>
    scope.post(`/signin/:id/${name}`, formOptions(name), async (request, reply) => {
      const visit = await visitedAs(request, reply, find)
      if (!visit) return reply
      const answer = await work({ ...visit, form: readForm<Name>(request), request }, reply)
      if (reply.sent) return reply
      return isForm(request) ? reply.redirect(`/signin/${visit.session.id}`, 303) : reply.send(answer ?? {})
    })

  onPostAs('challenge', findVisited, async ({ place: { organizationId, baseUrl }, session: { id: sid } }) => ({
    challenge: await giveChallenge(context, {
      organizationId,
      sid,
      origin: new URL(baseUrl).origin,
      now: context.now(),
    }),
  }))
  onPostAs('proof', findVisited, async ({ place, session, form, request }, reply) => {
    const given: unknown[] = Array.isArray(form.proofs) ? form.proofs : [form.proof]
    const proofs = given.filter((proof) => typeof proof === 'string')
    const proved = await proveSession(db, session, {
      proofs,
      tab: form.tab,
      origin: new URL(place.baseUrl).origin,
      occasion: occasionOf(request, context.now()),
    })
    if ('refusal' in proved) return reply.code(403).send({ error: { code: proved.refusal, detail: proved.detail } })
    const { deviceId, port, judged } = proved
    if (port !== null) reply.header('set-cookie', rememberAgent(context.secrets, place, { deviceId, port }))
    // What the page would ask for next. The proof counts already, so what cannot be read now is asked for then.
    const view = await viewOf({ place, session: proved.session, judged }, request).catch(() => undefined)
    return { state: judged.state, ...(view && { region: drawRegion(view) }) }
  })
  onPost('undetected', ({ session, form }) => transact(db, (tx) => noteUndetected(tx, session, form, context.now())))
  onPost('once-more', ({ session }) => waiveLoop(db, session, context.now()))
  onPost('cancel', async ({ session, request }, reply) => {
    const { organization_id: organizationId, id } = session
    const isUnserved = session.state === 'identifying' && session.upstream?.failure === 'unavailable'
    const ended = { organizationId, id, ...(isUnserved && { error: 'temporarily_unavailable' }) }
    await transact(db, (tx) => cancelSession(tx, ended, occasionOf(request, context.now())))
    return reply.redirect(finishPathOf(session), 303)
  })
  const act = <Name extends PageForm>(name: Name, actOf: (form: FormOf<Name>) => Act) =>
    onPost(name, ({ session, form, request }) =>
      actOnSession(db, session, actOf(form), occasionOf(request, context.now())),
    )
  act('recheck', () => ({ kind: 'recheck' }))
  act('register', ({ message = '' }) => ({ kind: 'register', message }))
  act('snooze', ({ issue_id: issueId }) => ({ kind: 'snooze', issueId: identifierOf(issueId) }))
  act('exemption', ({ issue_id: issueId, message }) => ({
    kind: 'exemption',
    issueId: identifierOf(issueId),
    message,
  }))
  act('withdraw-registration', () => ({ kind: 'withdraw_registration' }))
  act('withdraw', ({ request_id: requestId }) => ({ kind: 'withdraw', requestId: identifierOf(requestId) }))
  act('seen', ({ issue_ids: issueIds }) => ({ kind: 'seen', issueIds: issueIds.map(identifierOf) }))
  return {
    assets,
    headers,
    send,
    message,
    fault,
    drawFaultPage,
    tooMany,
    visited,
    current,
    shown,
    shownNow,
    viewOf,
    onPost,
  }
}

/**
 * A browser says whose page sends a request; one that does not is not a page of ours. Of a form on a page that sends no
 * referrer the origin is `null` (Fetch §3.2), and whose it is says another header, which no script can set.
 */
function isOwnPage({ baseUrl }: Place, { headers }: FastifyRequest): boolean {
  if (headers.origin === 'null') return headers['sec-fetch-site'] === 'same-origin'
  return headers.origin === new URL(baseUrl).origin
}
