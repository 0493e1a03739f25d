import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { abandonmentOf } from '../../http/abandonment.ts'
import type { CallerScheme } from '../../http/caller-scheme.ts'
import { isDatabaseUnavailable } from '../../http/database-unavailable.ts'
import { type CompanionKey, findCompanionKey } from '../companion-keys/queries.ts'
import { useNonce } from '../companion-keys/use-nonce.ts'
import type { AgentContext } from '../protocol/agent-context.ts'
import { type Answer, success } from '../protocol/answers.ts'
import { parseInTurns } from '../protocol/bodies/parse-in-turns.ts'
import { refusals } from './companion-answers.ts'
import { type CompanionContext, companionContext } from './companion-context.ts'
import { enrollCompanion } from './enroll-companion.ts'
import { bodyGate } from './gate-routes.ts'
import { type Fields, fieldsOf, isSigned, readSignature, type Signature } from './signed-request.ts'
import { answerEnrolled, type CheckInFields, readCheckIn, takeCheckIn } from './take-check-in.ts'
import { takeResults } from './take-results.ts'

type NoncedAnswer = Answer & { nonce?: string }

const kilobyte = 1024
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
  // A body is parsed once its signature is found good: until then it is bytes.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.setErrorHandler((error, request, reply) => answerWith(reply, answerOfError(context, error, request)))
  const small = { config, bodyLimit: 16 * kilobyte }
  scope.post('/enroll', small, async (request, reply) => answerWith(reply, await enroll(context, request)))
  scope.post('/check_in', small, async (request, reply) => {
    const signed = await admit(context, request)
    if ('status' in signed) return answerWith(reply, signed)
    const checkIn = readCheckIn(signed.fields, request.ip)
    return respond(context, signed, { checkIn, reply }, (key) =>
      takeCheckIn(context, { before: signed.key, key }, { checkIn, ip: request.ip, signal: abandonmentOf(reply) }),
    )
  })
  scope.post('/results', { config, bodyLimit: 1024 * kilobyte }, async (request, reply) => {
    const signed = await admit(context, request)
    if ('status' in signed) return answerWith(reply, signed)
    return respond(context, signed, { reply }, async (key) => {
      if (key.status !== 'linked' || key.living_device_id === null || key.contest_ends_at !== null) {
        return refusals.notLinked
      }
      const place = { organizationId: key.organization_id, deviceId: key.living_device_id }
      await takeResults(context, place, signed.fields['results'])
      return success()
    })
  })
}

async function enroll(context: CompanionContext, request: FastifyRequest): Promise<NoncedAnswer> {
  const { enrollmentNonces, unknownKeys } = context
  const signature = await readSignature(request.headers['dpop'])
  if (!signature) return refusals.unreadable
  if (unknownKeys.isSpent(request.ip)) return refusals.tooMany
  const { kid, jwk, claims } = signature
  const noncedAt = enrollmentNonces.givenAt(kid, claims['nonce'])
  if (noncedAt === undefined) return { ...refusals.otherNonce, nonce: enrollmentNonces.give(kid) }
  const fields = await fieldsSigned(context, request, signature, null)
  if (!fields) return refusals.invalid
  const signer = { kid, jwk, noncedAt, ip: request.ip, hosts: hostsOf(context, request) }
  const refused = await enrollCompanion(context, signer, fields)
  if (refused) return { ...refused, nonce: enrollmentNonces.give(kid) }
  return answerEnrolled(context, kid)
}

type Signed = { key: CompanionKey; fields: Fields }

/** The key of a request that it has signed for this server with the nonce of its last answer; or why it is refused. */
async function admit(context: CompanionContext, request: FastifyRequest): Promise<Signed | NoncedAnswer> {
  const { db, knownKeys, unknownKeys } = context
  const signature = await readSignature(request.headers['dpop'])
  if (!signature) return refusals.unreadable
  const { kid, claims } = signature
  if (!knownKeys.get(kid) && unknownKeys.isSpent(request.ip)) return refusals.tooMany
  const key = await findCompanionKey(db, kid)
  if (!key) {
    unknownKeys.spend(request.ip)
    return refusals.unknownKey
  }
  // That is how each companion of an office begins its day.
  if (claims['nonce'] !== key.nonce) return { ...refusals.otherNonce, nonce: key.nonce }
  const fields = await fieldsSigned(context, request, signature, key.base_url)
  if (!fields) return refusals.invalid
  knownKeys.note(kid, true)
  return { key, fields }
}

/** The fields of a body that the key has signed for this server. */
async function fieldsSigned(
  context: CompanionContext,
  request: FastifyRequest,
  signature: Signature,
  ownBaseUrl: string | null,
): Promise<Fields | undefined> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const address = { path: request.routeOptions.url ?? '', hosts: hostsOf(context, request, ownBaseUrl) }
  if (!(await isSigned(signature, { ...address, body }))) {
    context.unknownKeys.spend(request.ip)
    return undefined
  }
  const parsed = await parseInTurns(body)
  return fieldsOf('ok' in parsed ? parsed.ok : undefined)
}

/** Uses the nonce of a request up, and answers the request that was the first with it. */
async function respond(
  context: CompanionContext,
  { key: found }: Signed,
  { checkIn, reply }: { checkIn?: CheckInFields; reply: FastifyReply },
  work: (key: CompanionKey) => Promise<Answer>,
): Promise<FastifyReply> {
  const { agents, db } = context
  const key = await useNonce(db, found, checkIn, agents.clock())
  if (key) return answerWith(reply, { ...(await work(key)), nonce: key.nonce })
  const current = await findCompanionKey(db, found.kid)
  return answerWith(reply, current ? { ...refusals.otherNonce, nonce: current.nonce } : refusals.unknownKey)
}

/** The hosts that this server is known by. */
const hostsOf = (
  { baseUrl }: CompanionContext,
  request: FastifyRequest,
  ownBaseUrl: string | null = null,
): string[] => [request.host, new URL(ownBaseUrl ?? baseUrl).host]

function answerWith(reply: FastifyReply, { status, text, nonce }: NoncedAnswer): FastifyReply {
  // RFC 9449 §9: what the next request has to carry.
  if (nonce !== undefined) reply.header('dpop-nonce', nonce)
  if (text === refusals.otherNonce.text) reply.header('www-authenticate', 'DPoP error="use_dpop_nonce"')
  return reply.code(status).header('content-type', 'application/json').header('cache-control', 'no-store').send(text)
}

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
