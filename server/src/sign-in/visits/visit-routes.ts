import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Reader, transact } from '../../base/db/transact.ts'
import { secretCookie } from '../../base/secrets/secret-cookie.ts'
import { occasionOf } from '../../http/request-source.ts'
import type { Judged } from '../sessions/judge.ts'
import { hashOf } from '../sessions/session-codes.ts'
import { findSession, type SignInSession, type VisitedSession } from '../sessions/session-queries.ts'
import { isSettled, judgeNow, settleSession } from '../sessions/settle-session.ts'
import type { FormOf, PageForm } from './form-routes.ts'
import { findAgentPort, readKnownAgent } from './known-agent.ts'
import type { PageShell } from './page-shell-routes.ts'
import { viewOfSession } from './view-of-session.ts'
import type { Place, VisitContext } from './visit-context.ts'

/** Reads a sign-in as far as it is needed. */
export type Find<Session> = (reader: Reader, organizationId: string, id: string) => Promise<Session | undefined>
type Shown = { place: Place; session: SignInSession; judged: Judged }

/** What the page has sent for a sign-in of its browser. */
export type Visit<Name extends PageForm, Session = SignInSession> = {
  place: Place
  session: Session
  form: FormOf<Name>
  request: FastifyRequest
}
/** Resolves to what is answered; `reply` where it is answered otherwise. */
export type Work<Name extends PageForm, Session = SignInSession> = (
  visit: Visit<Name, Session>,
  reply: FastifyReply,
) => Promise<unknown>

export type Visits = ReturnType<typeof openVisits>
/** What the routes of sign-ins share. */
export type Pages = PageShell & Visits

export const cookieOf = (baseUrl: string, sessionId: string) =>
  secretCookie(baseUrl, { name: `muster-si-${sessionId.slice(0, 8)}`, seconds: 3_600, form: /^[\w-]{43}$/ })

/** Whether the request comes from the browser that began the sign-in. */
export function isVisitor({ baseUrl }: Place, session: VisitedSession, { headers }: FastifyRequest): boolean {
  const secret = cookieOf(baseUrl, session.id).read(headers.cookie)
  return secret !== undefined && timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), session.cookie_hash)
}

/**
 * A browser says whose page sends a request; one that does not is not a page of ours. Of a form on a page that sends no
 * referrer the origin is `null` (Fetch §3.2), and whose it is says another header, which no script can set.
 */
function isOwnPage({ baseUrl }: Place, { headers }: FastifyRequest): boolean {
  if (headers.origin === 'null') return headers['sec-fetch-site'] === 'same-origin'
  return headers.origin === new URL(baseUrl).origin
}

/** Who may see a sign-in, and how it is now. */
export function openVisits(context: VisitContext, { gone, fault }: PageShell) {
  const { db } = context

  /** The sign-in of a request from the browser that began it; answers the request otherwise. */
  async function visitedAs<Session extends VisitedSession>(
    request: FastifyRequest,
    reply: FastifyReply,
    find: Find<Session>,
  ) {
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
    const judged = await judgeNow(db, session, { now })
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

  return { visited, visitedAs, viewOf, current, shown, shownNow }
}
