import type { FastifyReply, FastifyRequest } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { occasionOf } from '../../http/request-source.ts'
import { objectionTo } from '../oidc/claims-rules.ts'
import { resumeCookie } from '../oidc/provider-settings.ts'
import { cancelSession } from '../sessions/cancel-session.ts'
import { mayAnswer } from '../sessions/finish-sign-in.ts'
import { isRechecking } from '../sessions/recheck.ts'
import { findSessionOfInteraction, type SignInSession } from '../sessions/session-queries.ts'
import { mayContinue } from '../sessions/session-rules.ts'
import { subjectOfPerson } from '../sessions/subject-of-person.ts'
import { claimsOfSession } from './claims-of-session.ts'
import { providerCall, serveProvider } from './oidc-serve-routes.ts'
import type { Place, VisitContext } from './visit-context.ts'
import { isVisitor, type Pages } from './visit-routes.ts'

/**
 * Answers the application of a sign-in that is over, and leads back to its page otherwise: the provider would begin another one
 * in its place, without the request that was signed.
 */
export async function concludeSignIn(
  context: VisitContext,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const place = await context.placeOf(request.host)
  const provider = place && (await context.providerOf(place))
  if (!place || !provider) {
    reply.callNotFound()
    return reply
  }
  const { uid } = request.params as { uid: string }
  const session = await findSessionOfInteraction(context.db, place.organizationId, uid)
  if (!session?.interaction || !isVisitor(place, session, request)) {
    return pages.fault(reply, 403, 'Start from the app again', 'This sign-in began in another browser.')
  }
  const result = await resultOf(context, pages, { place, session, request })
  if (result === 'not_over') return reply.redirect(`/signin/${session.id}`, 303)
  const call = providerCall({ context, pages, place, request, reply, session })
  const interaction = { ...session.interaction, result }
  const over = { sessionId: session.id, isOfUpstream: session.upstream_id !== null, interaction }
  request.raw.headers.cookie = `${resumeCookie}=${uid}`
  return serveProvider(provider.serve, { ...call, over }, request, reply)
}

type Result = { error: string; error_description: string } | { login: object; consent: object; select_account: object }

/** What the provider is told of a sign-in. One that ended without an answer is told so as often as it is asked. */
async function resultOf(
  context: VisitContext,
  pages: Pages,
  { place, session: found, request }: { place: Place; session: SignInSession; request: FastifyRequest },
): Promise<Result | 'not_over'> {
  if (found.state === 'ended') return refusalOf(found)
  // What the row says is enough where it lets the person in: the transaction of the answer judges once more, and writes nothing
  // of a check again that has ended.
  const isLetIn = mayContinue(found.state) && found.answered_at === null && !isRechecking(found)
  const result = isLetIn ? await loginOf(context, place, found) : 'unmet'
  if (typeof result !== 'string') return result
  const shown = await pages.current({ place, session: found }, request)
  if (!shown) return 'not_over'
  const { session } = shown
  // One that is answered gets no other answer: the provider says so.
  if (session.answered_at === null && !mayAnswer(shown, context.now())) return 'not_over'
  const judged = await loginOf(context, place, session)
  if (typeof judged !== 'string') return judged
  return judged === 'not_over' ? judged : refuse(context, { place, session, request }, judged)
}

type Objection = NonNullable<ReturnType<typeof objectionTo>>

/** Who has signed in, or why the request cannot be answered with that. */
async function loginOf(
  { db, now }: VisitContext,
  { organizationId }: Place,
  session: SignInSession,
): Promise<Result | Objection | 'not_over'> {
  const { person_id: personId } = session
  if (personId === null) return 'not_over'
  const accountId = await subjectOfPerson(db, organizationId, personId)
  const { acr, amr } = claimsOfSession(session, now())
  const objection = objectionTo(session.interaction, { subject: accountId, acr })
  if (objection && session.answered_at === null) return objection
  const ts = session.upstream?.said?.authTime
  const login = { accountId, acr, amr, remember: false, ...(ts !== undefined && { ts }) }
  // What else the request asked for was the upstream's to do, and is done.
  return { login, consent: {}, select_account: {} }
}

async function refuse(
  { db, now }: VisitContext,
  { place, session, request }: { place: Place; session: SignInSession; request: FastifyRequest },
  error: Objection,
): Promise<Result> {
  const ended = { organizationId: place.organizationId, id: session.id, error, reason: 'request_unmet' } as const
  await transact(db, (tx) => cancelSession(tx, ended, occasionOf(request, now())))
  return refusalOf({ oauth_error: error })
}

const words: Readonly<Record<string, string>> = {
  unmet_authentication_requirements: 'The device does not meet the acr that was asked for.',
  login_required: 'Another person than the one who was asked for has signed in.',
}

/** What the application is told of a sign-in that ended without an answer. */
const refusalOf = ({ oauth_error: error }: Pick<SignInSession, 'oauth_error'>) =>
  error === null
    ? { error: 'access_denied', error_description: 'The sign-in was canceled, or has ended.' }
    : { error, error_description: words[error] ?? 'The identity provider of the person answered this.' }
