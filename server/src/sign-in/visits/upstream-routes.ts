import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { occasionOf } from '../../http/request-source.ts'
import { cancelSession } from '../sessions/cancel-session.ts'
import { findSession, type SignInSession } from '../sessions/session-queries.ts'
import { identifySession, noteLegFailure, sessionOfState, takeLeg } from '../sessions/upstream-legs.ts'
import { type Outcome, returnPath } from '../upstreams/open-upstreams.ts'
import { findUpstream } from '../upstreams/upstream-queries.ts'
import { finishPathOf } from './finish-path.ts'
import { leadUpstream, returnAddress } from './lead-upstream.ts'
import { signIns } from './sign-in-scheme.ts'
import type { Place, VisitContext } from './visit-context.ts'
import { isVisitor, type Pages, type Work } from './visit-routes.ts'

const config = { scheme: signIns, kind: 'page', origin: 'navigation', isChatty: true } as const

/** The way to an upstream and back (OpenID Connect Core §3.1), for the browser that began the sign-in and no other. */
export function upstreamRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  scope.get(returnPath, { config }, (request, reply) => comeBack(context, pages, request, reply))
}

/** Sends the browser to the upstream that says who signs in. */
export const goUpstream =
  (context: VisitContext, pages: Pages): Work<'identify'> =>
  async ({ place, session }, reply) => {
    const away = await leadUpstream(context, place, session.id)
    if (away !== undefined || session.state !== 'identifying') {
      return reply.redirect(away ?? `/signin/${session.id}`, 303)
    }
    return pages.fault(reply, 429, 'Start from the app again', 'This sign-in was tried too often.')
  }

async function comeBack(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const { state } = request.query as { state?: unknown }
  const id = sessionOfState(state)
  const session = id === undefined ? undefined : await findSession(context.db, place.organizationId, id)
  if (!session) return pages.fault(reply, 400, 'Start from the app again', 'This sign-in has ended.')
  if (!isVisitor(place, session, request)) {
    return pages.fault(reply, 403, 'Start from the app again', 'This sign-in began in another browser.')
  }
  const upstreamId = session.upstream_id
  const upstream = upstreamId === null ? undefined : await findUpstream(context.db, place.organizationId, upstreamId)
  const sessionPlace = { organizationId: place.organizationId, id: session.id }
  const part =
    upstream &&
    (await transact(context.db, (tx) => takeLeg(tx, sessionPlace, { state: String(state), upstreamId: upstream.id })))
  // An answer is taken once; its page says how the sign-in stands.
  if (!part) return reply.redirect(`/signin/${session.id}`, 303)
  const query = request.url.slice(request.url.indexOf('?') + 1)
  const going = { state: String(state), redirectUri: returnAddress(place), part }
  const outcome = await context.upstreams.takeAnswer(upstream, going, query, context.now())
  return reply.redirect(await settleAnswer(context, { place, session, request }, outcome), 303)
}

/** Writes what came of the upstream's answer. Returns where the browser goes then. */
async function settleAnswer(
  context: VisitContext,
  { place, session, request }: { place: Place; session: SignInSession; request: FastifyRequest },
  outcome: Outcome,
) {
  const { db, warn } = context
  const { organizationId } = place
  const { id } = session
  const occasion = occasionOf(request, context.now())
  const { now } = occasion
  if ('subject' in outcome) {
    await transact(db, (tx) => identifySession(tx, { organizationId, id }, outcome, occasion))
    return `/signin/${id}`
  }
  if ('answer' in outcome && session.is_test) {
    const refusal = { failure: 'refused', detail: `It answered the error "${outcome.answer}".` } as const
    await transact(db, (tx) => noteLegFailure(tx, { organizationId, id }, refusal, now))
    return `/signin/${id}`
  }
  if ('answer' in outcome) {
    const ended = { organizationId, id, error: outcome.answer }
    await transact(db, (tx) => cancelSession(tx, ended, occasion))
    return finishPathOf(session)
  }
  const { failure, cause, detail } = outcome
  warn({ err: cause, failure, upstreamId: session.upstream_id, session: id }, 'An upstream identified nobody')
  await transact(db, (tx) => noteLegFailure(tx, { organizationId, id }, { failure, detail }, now))
  return `/signin/${id}`
}
