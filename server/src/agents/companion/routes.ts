import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { abandonmentOf } from '../../http/abandonment.ts'
import type { CallerScheme } from '../../http/caller-scheme.ts'
import { isDatabaseUnavailable } from '../../http/database-unavailable.ts'
import { sourceOf } from '../../http/request-source.ts'
import { type CompanionKey, findCompanionKey } from '../companion-keys/queries.ts'
import { useNonce } from '../companion-keys/use-nonce.ts'
import type { AgentContext } from '../protocol/agent-context.ts'
import { type Answer, success } from '../protocol/answers.ts'
import type { BodyReceiver } from '../protocol/bodies/receive-bodies.ts'
import { refusalOf, refusals } from './companion-answers.ts'
import { type CompanionContext, companionContext } from './companion-context.ts'
import { enrollCompanion } from './enroll-companion.ts'
import { answerWith, gateCompanions, hostsOf, type NoncedAnswer, readSigned } from './gate-routes.ts'
import type { Fields } from './signed-request.ts'
import { answerEnrolled, type CheckInFields, readCheckIn, takeCheckIn } from './take-check-in.ts'
import { takeResults } from './take-results.ts'

const kilobyte = 1024
/** By the signature of a device's key over the whole request, whose head is judged before its body is read. */
const deviceKeys: CallerScheme = { name: 'device_key', kinds: ['foreign'] }
const config = { scheme: deviceKeys, kind: 'foreign', origin: 'any', isChatty: true } as const

/** The endpoints of companions (docs/companion-protocol.md): every request is signed by the companion's key. */
export function companionRoutes(
  app: FastifyInstance,
  { agents, bodies, baseUrl }: { agents: AgentContext; bodies: BodyReceiver; baseUrl: string },
): void {
  const context = companionContext(agents, bodies, baseUrl)
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
  gateCompanions(scope, context)
  scope.setErrorHandler((error, request, reply) => answerWith(reply, answerOfError(context, error, request)))
  const small = 16 * kilobyte
  const enrollment = { config: { ...config, isEnrollment: true }, bodyLimit: small } as const
  scope.post('/enroll', enrollment, async (request, reply) => answerWith(reply, await enroll(context, request)))
  const onSigned = (path: string, bodyLimit: number, work: Work) =>
    scope.post(path, { config, bodyLimit }, async (request, reply) => {
      const signed = await readSigned(context, request)
      if ('status' in signed) return answerWith(reply, signed)
      if (!signed.key) return answerWith(reply, refusals.unknownKey)
      context.knownKeys.note(signed.key.kid, true)
      return work({ ...signed, request, reply })
    })
  onSigned('/check_in', small, ({ key: before, fields, request, reply }) => {
    const checkIn = readCheckIn(fields, request.ip)
    return respond(context, before, { checkIn, reply }, (key) =>
      takeCheckIn(context, { before, key }, { checkIn, source: sourceOf(request), signal: abandonmentOf(reply) }),
    )
  })
  onSigned('/results', 1024 * kilobyte, ({ key: before, fields, request, reply }) =>
    respond(context, before, { reply }, async (key) => {
      if (key.status !== 'linked' || key.living_device_id === null || key.contest_ends_at !== null) {
        return refusals.notLinked
      }
      await takeResults(
        context,
        { organizationId: key.organization_id, deviceId: key.living_device_id },
        fields['results'],
        sourceOf(request),
      )
      return success()
    }),
  )
}

type Signed = { key: CompanionKey; fields: Fields; request: FastifyRequest; reply: FastifyReply }
type Work = (signed: Signed) => Promise<FastifyReply>

async function enroll(context: CompanionContext, request: FastifyRequest): Promise<NoncedAnswer> {
  const signed = await readSigned(context, request)
  if ('status' in signed) return signed
  if (signed.noncedAt === undefined) return refusals.otherNonce
  const { signature, noncedAt, fields } = signed
  const { kid, jwk } = signature
  const signer = { kid, jwk, noncedAt, source: sourceOf(request), hosts: hostsOf(context, request) }
  const refused = await enrollCompanion(context, signer, fields)
  if (refused) return { ...refused, nonce: context.enrollmentNonces.give(kid) }
  context.knownKeys.note(kid, true)
  return answerEnrolled(context, kid)
}

/** Uses the nonce of a request up, and answers the request that was the first with it. */
async function respond(
  context: CompanionContext,
  found: CompanionKey,
  { checkIn, reply }: { checkIn?: CheckInFields; reply: FastifyReply },
  work: (key: CompanionKey) => Promise<Answer>,
): Promise<FastifyReply> {
  const { agents, db } = context
  const key = await useNonce(db, found, checkIn, agents.clock())
  if (key) return answerWith(reply, { ...(await work(key)), nonce: key.nonce })
  const current = await findCompanionKey(db, found.kid)
  return answerWith(reply, current ? { ...refusals.otherNonce, nonce: current.nonce } : refusals.unknownKey)
}

function answerOfError(context: CompanionContext, error: unknown, request: FastifyRequest): Answer {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status < 500 || status === 503) return refusalOf(status)
  const isUnavailable = isDatabaseUnavailable(error)
  context.agents.log[isUnavailable ? 'warn' : 'error'](
    { requestId: request.id, err: error },
    'companion request failed',
  )
  return isUnavailable ? refusals.unavailable : refusals.failed
}
