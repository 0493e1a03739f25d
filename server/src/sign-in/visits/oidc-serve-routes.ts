import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../base/network-of.ts'
import { occasionOf } from '../../http/request-source.ts'
import type { SignInConnection } from '../connections/connection-queries.ts'
import { issuerPath } from '../connections/sign-in-address.ts'
import type { OpenProvider } from '../oidc/open-provider.ts'
import { type AcceptedRequest, beginCall, type Drawn, type Failure, type ProviderCall } from '../oidc/provider-call.ts'
import type { Again } from '../page/draw-page.ts'
import { beginSession } from '../sessions/begin-session.ts'
import { finishSignIn } from '../sessions/finish-sign-in.ts'
import type { SignInSession } from '../sessions/session-queries.ts'
import { type Arriving, unknownClient } from './arrival-budgets.ts'
import { askedOf } from './asked-of-upstream.ts'
import { claimsOfSession } from './claims-of-session.ts'
import { brokenWords } from './error-words.ts'
import { leadUpstream } from './lead-upstream.ts'
import { readOwnWords } from './own-words.ts'
import { tooManyWords } from './page-shell-routes.ts'
import type { Place, VisitContext } from './visit-context.ts'
import { cookieOf, type Pages } from './visit-routes.ts'

type Parts = {
  context: VisitContext
  pages: Pages
  place: Place
  request: FastifyRequest
  reply: FastifyReply
  /** That asks for a sign-in, as it calls itself. */
  client?: string
  connection?: SignInConnection | undefined
  /** What its request is counted as. */
  arriving?: Arriving
  /** The sign-in that is answered. */
  session?: SignInSession
}

/** Before its answer is under way. */
type Call = Omit<ProviderCall, 'setCookie'>

/** Serves a request by the provider, as one of its own paths. Its cookies reach no browser: a sign-in has one of ours. */
export async function serveProvider(
  serve: OpenProvider['serve'],
  call: Call,
  { raw: read, body }: Pick<FastifyRequest, 'raw' | 'body'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const headers = reply.getHeaders()
  reply.hijack()
  const response = reply.raw
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) => (name.toLowerCase() === 'set-cookie' ? response : setHeader(name, value))
  const raw = rereadable(read, body)
  Object.assign(raw, { originalUrl: read.url, url: read.url?.slice(issuerPath.length) ?? '/' })
  beginCall(raw, { ...call, setCookie: (line) => void setHeader('set-cookie', line) })
  try {
    await serve(raw, response)
  } catch (error) {
    // After this point nobody else answers.
    if (response.headersSent) response.destroy()
    else response.writeHead(500).end()
    call.warn(error)
  }
  return reply
}

/** A request with its body still to be read, as the provider reads bodies itself. */
const rereadable = (request: IncomingMessage, body: unknown): IncomingMessage =>
  Object.create(request, {
    readable: { value: true },
    iterator: { value: () => (typeof body === 'string' ? [Buffer.from(body)] : []) },
  })

/** What the provider asks of us while it serves a request. */
export function providerCall(parts: Parts): Call {
  const { context, pages, place, request, reply, session } = parts
  const again: Again | undefined = session && {
    applicationName: session.application_name,
    startUrl: session.start_url,
  }
  const client = parts.client ?? session?.client_id ?? unknownClient
  // The answer to a form is posted by a page that the provider makes, whose script it adds to this policy.
  reply.headers({ ...pages.headers, 'cache-control': 'no-store' })
  return {
    begin: (accepted) => beginOf(parts, accepted),
    answer: async (tx, sessionId) => {
      const change = occasionOf(request, context.now())
      const answered = await finishSignIn(tx, { organizationId: place.organizationId, id: sessionId }, change)
      if (!answered) return 'not_over'
      if (!answered.isFirst) return 'answered'
      return claimsOfSession(answered.session, change.now, await readOwnWords(tx, answered.session))
    },
    refused: (reason, fault) =>
      context.refused.note(context.knownClient(place, client) ? client : unknownClient, reason, fault),
    noteRefusal: async ({ clientId, reason }) => {
      const known = context.knownClient(place, clientId)
      if (known) await context.noteRefusal(known, reason)
    },
    draw: async (failure) =>
      drawFailure(pages, failure, again ?? (await context.applicationOf(place, client)), session),
    warn: (error) => context.warn({ err: error, reqId: request.id }, 'The OpenID provider failed'),
  }
}

/** Begins the sign-in of a request that the provider has accepted. */
async function beginOf(
  { context, place, request, connection, arriving }: Parts,
  { uid, clientId, params, signed, mark, aheadMs, payload }: AcceptedRequest,
) {
  // The provider has authenticated the client by the same parameter.
  const isAsking = connection?.client_id === clientId
  const subject = connection && isAsking ? subjectOf(connection, params, signed) : 'nobody'
  if (!connection || !arriving || subject === 'nobody') return 'nobody'
  const giveBack = context.takeShare(arriving)
  if (!giveBack) return 'too_many'
  const begun = await beginSession(
    context.db,
    {
      ...{ interactionUid: uid, connection, subject, asked: askedOf(params), interaction: payload },
      requestMarks: mark ? [mark] : [],
      callerAheadMs: aheadMs,
      network: networkOf(request.ip),
      isKnownBrowser: arriving.agent !== undefined,
      ipAddress: request.ip,
      userAgent: String(request.headers['user-agent'] ?? ''),
    },
    occasionOf(request, context.now()),
  )
  if (typeof begun === 'string') {
    giveBack()
    return begun
  }
  if (aheadMs !== undefined) context.callerClocks.note(clientId, aheadMs)
  const away = connection.upstream_id === null ? undefined : await leadUpstream(context, place, begun.id)
  const cookie = cookieOf(place.baseUrl, begun.id).give(begun.secret)
  return { cookie, destination: away ?? `/signin/${begun.id}` }
}

/** Whom the caller has signed in before it asked; only what it has signed counts. An upstream says it for an application. */
function subjectOf(
  { kind }: SignInConnection,
  { login_hint: hint }: AcceptedRequest['params'],
  signed: AcceptedRequest['signed'],
): string | undefined | 'nobody' {
  if (kind === 'application') return undefined
  return kind === 'second_step' && signed.includes('login_hint') && typeof hint === 'string' && hint.trim() !== ''
    ? hint
    : 'nobody'
}

const answeredTitle = 'This sign-in is already answered'

/** The page of a request that is not answered. */
function drawFailure(
  pages: Pages,
  failure: Failure,
  again: Again | undefined,
  session: SignInSession | undefined,
): Drawn {
  const draw = (status: number, title: string, text: string, more: Record<string, string> = {}): Drawn => ({
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...more },
    body: pages.drawFaultPage(title, text, again),
  })
  switch (failure) {
    case 'too_many':
      return draw(429, ...tooManyWords, { 'retry-after': '600' })
    case 'unavailable':
      return draw(503, ...brokenWords, { 'retry-after': '5' })
    case 'answered':
      return draw(410, answeredTitle, `${again?.applicationName ?? 'The application'} got its answer.`)
    case 'not_over':
      return { ...draw(303, answeredTitle, ''), headers: { location: `/signin/${session?.id ?? ''}` } }
    default:
      return draw(400, 'This sign-in cannot start', `${failure.error}: ${failure.description}`)
  }
}
