import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exceedsLimits } from '../../base/scan-json.ts'
import type { CallerScheme } from '../../http/caller-scheme.ts'
import { isDatabaseUnavailable } from '../../http/database-unavailable.ts'
import { type CompanionKey, findCompanionKey } from '../companion-keys/queries.ts'
import type { AgentContext } from '../protocol/agent-context.ts'
import { type Answer, success } from '../protocol/answers.ts'
import { refusals } from './companion-answers.ts'
import { type CompanionContext, companionContext } from './companion-context.ts'
import { enrollCompanion } from './enroll-companion.ts'
import { bodyGate } from './gate-routes.ts'
import { type Envelope, type Fields, readEnvelope, thumbprintOf, verifyRequest } from './signed-request.ts'
import { answerEnrolled, takeContact } from './take-contact.ts'
import { takeResults } from './take-results.ts'

const kilobyte = 1024
/** Of an object with one text. Strangers send these, and everyone waits while one is parsed. */
const envelopeLimits = { depth: 1, containers: 1, values: 10 }
/** By the signature of a device's key over the whole request, which is judged once the body is read. */
const deviceKeys: CallerScheme = { name: 'device_key', kinds: ['foreign'] }
const config = { scheme: deviceKeys, kind: 'foreign', origin: 'any', isChatty: true } as const

/** The endpoints of companions (docs/companion-protocol.md): every request is signed by the companion's key. */
export function companionRoutes(app: FastifyInstance, agents: AgentContext, baseUrl: string): void {
  const context = companionContext(agents, baseUrl)
  // Before the server waits for its requests to end, so that it need not wait for these.
  app.addHook('preClose', (done) => {
    context.waits.stop()
    done()
  })
  app.register(
    (scope, _options, done) => {
      addScope(scope, context)
      done()
    },
    { prefix: '/api/v1/companion' },
  )
}

function addScope(scope: FastifyInstance, context: CompanionContext): void {
  bodyGate(scope)
  // The server's own parser reads bodies of declared operations only.
  scope.removeAllContentTypeParsers()
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text: string, done) => {
    if (exceedsLimits(text, envelopeLimits)) return done(null)
    void parse(request, text, done)
  })
  scope.setErrorHandler((error, request, reply) => answerWith(reply, answerOfError(context, error, request)))
  const small = { config, bodyLimit: 16 * kilobyte }
  scope.post('/enroll', small, async (request, reply) => answerWith(reply, await enroll(context, request)))
  scope.post('/contact', small, (request, reply) =>
    respond(context, request, reply, (key, fields) =>
      takeContact(context, key, { fields, ip: request.ip, signal: goneSignal(reply) }),
    ),
  )
  scope.post('/results', { config, bodyLimit: 1024 * kilobyte }, (request, reply) =>
    respond(context, request, reply, async (key, { results }) => {
      if (key.status !== 'linked' || key.living_device_id === null) return refusals.notLinked
      await takeResults(context, { organizationId: key.organization_id, deviceId: key.living_device_id }, results)
      return success()
    }),
  )
}

async function enroll(context: CompanionContext, request: FastifyRequest): Promise<Answer> {
  const envelope = readEnvelope(request.body)
  if (!envelope?.jwk) return refusals.unreadable
  const { jwk } = envelope
  const kid = await thumbprintOf(jwk)
  const verified = await verify(context, request, envelope, { kid, jwk, base_url: null })
  if ('status' in verified) return verified
  const hosts = hostsOf(context, request)
  const refused = await enrollCompanion(context, { kid, jwk, ip: request.ip, hosts }, verified.fields)
  return refused ?? answerEnrolled(context, kid)
}

/** Answers a request of an enrolled key. */
async function respond(
  context: CompanionContext,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (key: CompanionKey, fields: Fields) => Promise<Answer>,
): Promise<FastifyReply> {
  const envelope = readEnvelope(request.body)
  if (envelope?.kid === undefined) return answerWith(reply, refusals.unreadable)
  if (context.unknownKeys.isSpent(request.ip)) return answerWith(reply, refusals.tooMany)
  const key = await findCompanionKey(context.db, envelope.kid)
  if (!key) {
    context.unknownKeys.spend(request.ip)
    return answerWith(reply, refusals.unknownKey)
  }
  const verified = await verify(context, request, envelope, {
    kid: key.kid,
    jwk: key.public_jwk,
    base_url: key.base_url,
  })
  return answerWith(reply, 'status' in verified ? verified : await work(key, verified.fields))
}

type Signer = { kid: string; jwk: CompanionKey['public_jwk']; base_url: string | null }

/** The fields of a request that the key has signed for this server and that was not seen before. */
async function verify(
  context: CompanionContext,
  request: FastifyRequest,
  envelope: Envelope,
  { kid, jwk, base_url: ownBaseUrl }: Signer,
): Promise<{ fields: Fields } | Answer> {
  const { agents, seenRequests, unknownKeys } = context
  const hosts = hostsOf(context, request, ownBaseUrl)
  const path = request.routeOptions.url ?? ''
  const nowMs = envelope.jwk ? undefined : Date.parse(agents.clock())
  const fields = await verifyRequest(envelope, { kid, jwk, path, hosts, nowMs })
  if (!fields) {
    unknownKeys.spend(request.ip)
    return refusals.invalid
  }
  const seen = `${kid}/${String(fields['jti'])}`
  if (seenRequests.get(seen)) return refusals.repeated
  seenRequests.note(seen, true)
  return { fields }
}

/** The hosts that this server is known by. */
const hostsOf = (
  { baseUrl }: CompanionContext,
  request: FastifyRequest,
  ownBaseUrl: string | null = null,
): string[] => [request.host, new URL(ownBaseUrl ?? baseUrl).host]

/** Aborts when the connection has ended before the answer, and after it. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}

const answerWith = (reply: FastifyReply, { status, text }: Answer): FastifyReply =>
  reply.code(status).header('content-type', 'application/json').send(text)

function answerOfError(context: CompanionContext, error: unknown, request: FastifyRequest): Answer {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 429) return refusals.tooMany
  if (status === 413) return refusals.tooLarge
  if (status === 503) return refusals.busy
  if (status < 500) return refusals.unreadable
  const isUnavailable = isDatabaseUnavailable(error)
  context.agents.log[isUnavailable ? 'warn' : 'error'](
    { requestId: request.id, err: error },
    'companion request failed',
  )
  return isUnavailable ? refusals.unavailable : refusals.failed
}
