import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EntraRequest } from '../../base/db/schema.ts'
import { transact } from '../../base/db/transact.ts'
import { occasionOf } from '../../http/request-source.ts'
import { entraAddresses, entraPath } from '../connections/entra-rules.ts'
import { answerOf } from '../entra/answer-rules.ts'
import { openSigner } from '../entra/sign-answer.ts'
import { answerHeaders, drawAnswer } from '../page/draw-answer.ts'
import { cancelSession } from '../sessions/cancel-session.ts'
import { finishSignIn } from '../sessions/finish-sign-in.ts'
import { findSessionOfInteraction, type SignInSession } from '../sessions/session-queries.ts'
import { deniedWords, type EntraWords, faultWords, passedWords } from './entra-words.ts'
import { signIns } from './sign-in-scheme.ts'
import type { Place, VisitContext } from './visit-context.ts'
import { isVisitor, type Pages } from './visit-routes.ts'

const page = { scheme: signIns, kind: 'page', origin: 'navigation', isChatty: true } as const

type Answered = { id_token: string } | { error: 'access_denied' }
type Receiver = { redirectUri: string; state: string | null }

/** Where the page of a sign-in leads when it is over. */
export function entraFinishRoutes(scope: FastifyInstance, context: VisitContext, pages: Pages): void {
  scope.get(`${entraPath}/:connection/finish/:uid`, { config: page }, (request, reply) =>
    finish(context, pages, request, reply),
  )
}

/** Sends the page that brings an answer to Entra: a token, or an error. */
export function sendAnswer(
  reply: FastifyReply,
  { assets }: Pages,
  { redirectUri, state }: Receiver,
  answer: Answered | { error: 'temporarily_unavailable' },
  words: EntraWords,
): FastifyReply {
  const view = { ...words, action: redirectUri, fields: { ...answer, ...(state !== null && { state }) } }
  return reply.headers(answerHeaders(view)).type('text/html; charset=utf-8').send(drawAnswer(view, assets))
}

/** Answers Entra when there is something to say; leads back to the page of the sign-in otherwise. */
async function finish(context: VisitContext, pages: Pages, request: FastifyRequest, reply: FastifyReply) {
  const place = await context.placeOf(request.host)
  if (!place) return reply.callNotFound()
  const { connection, uid } = request.params as { connection: string; uid: string }
  const session = await findSessionOfInteraction(context.db, place.organizationId, uid)
  const asked = session?.entra_request
  if (!session || !asked || session.connection_id !== connection || !isVisitor(place, session, request)) {
    return pages.fault(reply, 403, 'Start from the app again', 'This sign-in began in another browser.')
  }
  const receiver = { redirectUri: asked.redirect_uri, state: asked.state }
  try {
    const answer = await conclude(context, pages, place, { session, asked, request })
    if (!answer) return reply.redirect(`/signin/${session.id}`, 303)
    return sendAnswer(reply, pages, receiver, answer, 'error' in answer ? deniedWords : passedWords)
  } catch (error) {
    context.warn({ err: error, clientRequestId: asked.request_id }, 'Microsoft Entra could not be answered')
    return sendAnswer(reply, pages, receiver, { error: 'temporarily_unavailable' }, faultWords)
  }
}

async function conclude(
  context: VisitContext,
  pages: Pages,
  place: Place,
  { session, asked, request }: { session: SignInSession; asked: EntraRequest; request: FastifyRequest },
): Promise<Answered | undefined> {
  const { db, now } = context
  const { organizationId, baseUrl } = place
  const change = occasionOf(request, now())
  const { id } = session
  // What cannot be signed is not announced either.
  const sign = await openSigner(context.signingKeys, organizationId, change.now)
  const shown = await pages.current({ place, session }, request)
  const answered = shown && (await transact(db, (tx) => finishSignIn(tx, { organizationId, id }, change)))
  const after = answered?.session ?? shown?.session ?? session
  const state = after.state
  const outcome = { state, mode: after.mode, isProved: after.device_id !== null, isAnswered: answered !== undefined }
  const answer = answerOf(outcome, asked)
  if (answer.kind === 'none') return undefined
  if (answer.kind === 'error') {
    if (state !== 'ended') await transact(db, (tx) => cancelSession(tx, { organizationId, id }, change))
    return { error: answer.error }
  }
  const { issuer } = entraAddresses(baseUrl, session.connection_id)
  const token = { issuer, audience: after.client_id, subject: asked.sub, nonce: asked.nonce, claims: answer.claims }
  return { id_token: await sign({ ...token, issuedAt: after.answered_at ?? change.now }) }
}
