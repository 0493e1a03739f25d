import type { OperationKind } from '@muster/contract/operations/define-operations.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema, TUnsafe } from 'typebox'
import { type AdmittedSession, actorOf, type Browser, type SessionNeed } from '../base/callers.ts'
import { type ChangeContext, newChange } from '../base/change-context.ts'
import { fail } from '../base/errors.ts'
import { boundAnswer } from './bound-answer.ts'
import type { CallerScheme } from './caller-scheme.ts'
import { isRecordId } from './record-id.ts'

/** Lets the sessions of administrators in; the room that has them hands it in through the kit of the console. */
export type SessionGuard = {
  readonly scheme: CallerScheme
  /** Refuses what another site's page sends. */
  refuseStrangers(request: FastifyRequest): void
  /**
   * Lets a session in that has the rights, within its limit, and refuses what its own page has not sent. While a second
   * factor is missing that the organization requires, only what is said to be before it.
   */
  admit(request: FastifyRequest, reply: FastifyReply, need: SessionNeed & BeforeFactor): Promise<AdmittedSession>
  /** Asked after the body is held to its schema: nobody is asked who they are for what is refused anyway. */
  requireFreshProof(session: AdmittedSession, now: string): void
  browserOf(request: FastifyRequest): Browser
}

type Definition<Body extends TSchema, Query extends TSchema, Answer extends TSchema> = {
  kind: OperationKind
  operationId: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: Body
  query?: Query
  /** Left out: the answer has no body, and its status is 204, unless `run` has answered itself. */
  answer?: Answer
}

/** A page of another site may lead here, as the identity provider's does. */
type FromAnywhere = { isFromAnywhere?: true }

type Answered<Answer extends TSchema> = Answer extends Nothing
  ? Promise<void> | Promise<FastifyReply>
  : Promise<Static<Answer>>

/** What a request comes with before anyone is signed in. */
export type OpenCall<Body> = {
  readonly body: Body
  readonly params: Readonly<Record<string, string>>
  readonly browser: Browser
  readonly now: string
  readonly reply: FastifyReply
}

export type SessionCall<Body> = OpenCall<Body> & {
  readonly session: AdmittedSession
  /** For the commands that the request runs. */
  readonly context: ChangeContext
}

type Nothing = TUnsafe<undefined>

/** Registers what someone may ask who has not signed in; only the console's own pages may, unless it is said. */
export function openRoute<
  Answer extends TSchema = Nothing,
  Body extends TSchema = Nothing,
  Query extends TSchema = Nothing,
>(
  scope: FastifyInstance,
  definition: Definition<Body, Query, Answer> &
    FromAnywhere & {
      run: (call: OpenCall<Static<Body>> & { readonly query: Static<Query> }) => Answered<Answer>
    },
): void {
  const { kind, operationId, method, path: url, body, query, isFromAnywhere, run } = definition
  const guard = guardOf(scope)
  const origin = isFromAnywhere ? 'navigation' : 'own_pages'
  scope.route({
    method,
    url,
    config: { scheme: guard.scheme, kind, origin, operationId, rights: { requires: 'nothing' } },
    schema: { ...(body && { body }), ...(query && { querystring: query }) },
    onSend: boundAnswer,
    onRequest: (request, _reply, done) => {
      if (isFromAnywhere) refuseAllButPages(request)
      else guard.refuseStrangers(request)
      done()
    },
    handler: async (request, reply) => {
      const call = { ...callOf<Static<Body>>(scope, request, reply), query: request.query as Static<Query> }
      return answerWith(reply, await run(call), definition)
    },
  })
}

/** Someone is led here; no script of another page, and no picture in one, asks for it. */
function refuseAllButPages({ headers }: FastifyRequest): void {
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined && mode !== 'navigate') fail('cross_site')
}

/** For an administrator who still has to set up the second factor that the organization requires. */
type BeforeFactor = { isBeforeFactor?: true }

/** Registers what someone may ask who has signed in and has the rights that the definition declares. */
export function sessionRoute<
  Answer extends TSchema = Nothing,
  Body extends TSchema = Nothing,
  Query extends TSchema = Nothing,
>(
  scope: FastifyInstance,
  definition: Definition<Body, Query, Answer> &
    SessionNeed &
    BeforeFactor & {
      /** Refuses what the schema cannot, before someone is asked to prove who they are. */
      refuse?: (call: SessionCall<Static<Body>>) => void
      run: (call: SessionCall<Static<Body>> & { readonly query: Static<Query> }) => Answered<Answer>
    },
): void {
  const { kind, operationId, method, path: url, body, query, isBeforeFactor, refuse, run } = definition
  const { requires, feature, needsFreshProof = false } = definition
  const rights = { requires, feature, needsFreshProof }
  const guard = guardOf(scope)
  scope.route({
    method,
    url,
    config: { scheme: guard.scheme, kind, origin: 'own_pages', operationId, rights },
    schema: { ...(body && { body }), ...(query && { querystring: query }) },
    onSend: boundAnswer,
    onRequest: async (request, reply) => {
      request.consoleSession = await guard.admit(request, reply, {
        ...rights,
        ...(isBeforeFactor && { isBeforeFactor }),
      })
    },
    handler: async (request, reply) => {
      const call = sessionCallOf<Static<Body>>(scope, request, reply)
      refuse?.(call)
      if (needsFreshProof) guard.requireFreshProof(call.session, call.now)
      const { id } = call.params
      if (id !== undefined && !isRecordId(id)) fail('not_found')
      return answerWith(reply, await run({ ...call, query: request.query as Static<Query> }), definition)
    },
  })
}

function sessionCallOf<Body>(scope: FastifyInstance, request: FastifyRequest, reply: FastifyReply): SessionCall<Body> {
  const session = request.consoleSession
  if (!session) throw new Error('The session was not admitted')
  const call = callOf<Body>(scope, request, reply)
  return { ...call, session, context: newChange(actorOf(session), session.organization_id, call.now) }
}

function answerWith(
  reply: FastifyReply,
  answered: unknown,
  { answer, kind }: { answer?: TSchema; kind: OperationKind },
) {
  return answer === undefined && answered === undefined && kind !== 'events' ? reply.code(204).send() : answered
}

const callOf = <Body>(scope: FastifyInstance, request: FastifyRequest, reply: FastifyReply): OpenCall<Body> => ({
  // Validated against the schema that the type comes from.
  body: request.body as Body,
  params: request.params as Record<string, string>,
  browser: guardOf(scope).browserOf(request),
  now: scope.kit.clock(),
  reply,
})

const guardOf = ({ kit }: FastifyInstance): SessionGuard => {
  if (!kit.sessions) throw new Error('There are no sessions outside of the console')
  return kit.sessions
}

/** The record that the path names. */
export const recordIdOf = (call: SessionCall<unknown>): string => call.params['id'] ?? ''
