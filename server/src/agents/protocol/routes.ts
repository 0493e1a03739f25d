import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endSoon } from '../../base/bodies/reading.ts'
import { smallBytes } from '../../base/parse-in-turns.ts'
import type { CallerScheme } from '../../http/caller-scheme.ts'
import { isDatabaseUnavailable } from '../../http/database-unavailable.ts'
import { sourceOf } from '../../http/request-source.ts'
import { admitEnrollment } from './admit-enrollment.ts'
import type { AgentContext } from './agent-context.ts'
import {
  type Answer,
  failure,
  identityConflict,
  parseFields,
  success,
  tooLarge,
  unknownNodeKey,
  unknownSecret,
  unreadable,
} from './answers.ts'
import { type BodyLimits, bodyLimits } from './bodies/body-limits.ts'
import type { BodyText } from './bodies/inflate-body.ts'
import { type ParsedBody, parseWhatFits } from './bodies/parse-what-fits.ts'
import { type BodyReceiver, bodyReceiver } from './bodies/receive-bodies.ts'
import { addBodyParser, answerWith, decorateRequests } from './body-routes.ts'
import { deviceConfig } from './device-config.ts'
import { type DeviceState, isStale } from './device-registry.ts'
import { enrollDevice } from './enroll-device.ts'
import { readEnrollment } from './enrollment-rules.ts'
import { answerRead } from './hand-out-queries.ts'
import { idleReader, nodeKeyOf } from './idle-reads.ts'
import { authenticate, authenticateByBody, noteContact, stateOf } from './load-device.ts'
import type { LoadedDevice } from './settle-schedule.ts'
import { takeAnswers } from './take-answers.ts'
import { takeCutAnswers } from './take-cut-answers.ts'
import { answerLog } from './take-log.ts'

export type { AgentContext }

const prefixes = ['/api/v1/osquery', '/api/osquery']

const kilobyte = 1024
const megabyte = 1024 * kilobyte

/**
 * osquery's remote API. The agent looks at the body only, never at the status: an empty body would mean success and
 * lose data, so every answer is a JSON object, and one with `error` unless it is a success. Returns what reads the bodies of
 * agents.
 */
export function agentRoutes(
  app: FastifyInstance,
  context: AgentContext,
  limits: BodyLimits = bodyLimits,
): BodyReceiver {
  decorateRequests(app)
  const bodies = bodyReceiver(context, limits)
  app.addHook('onClose', async () => bodies.stop())
  // Before the server waits for its requests to end, so that it need not wait for theirs.
  app.addHook('preClose', (done) => {
    void context.enrolling.stop()
    done()
  })
  const idleReads = idleReader(context, bodies)
  for (const prefix of prefixes) {
    app.earlyAnswers.add(`${prefix}/distributed/read`, idleReads)
    app.register(
      (scope, _options, done) => {
        addScope(scope, context, bodies)
        done()
      },
      { prefix },
    )
  }
  return bodies
}

function addScope(scope: FastifyInstance, context: AgentContext, bodies: BodyReceiver): void {
  addBodyParser(scope, bodies)
  scope.setNotFoundHandler((request, reply) => {
    const methods = scope.allowedMethods(request.url.split('?', 1)[0] ?? '', request.headers)
    if (methods.length === 0) return answerWith(reply, failure(404, 'There is no such endpoint'))
    reply.header('allow', methods.join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    return answerWith(reply, failure(405, `This endpoint does not support ${request.method}`))
  })
  scope.setErrorHandler((error, request, reply) => answerWith(reply, answerOfError(context, error, request)))
  addSmallEndpoints(scope, context, bodies)
  addLargeEndpoints(scope, context, bodies)
}

/** By an enrollment secret or a node key in the body, which each endpoint judges in the words of osquery. */
const nodeKeys: CallerScheme = { name: 'node_key', kinds: ['foreign'] }
const config = { scheme: nodeKeys, kind: 'foreign', origin: 'any', isChatty: true } as const

function addSmallEndpoints(scope: FastifyInstance, context: AgentContext, bodies: BodyReceiver): void {
  const enrollment = { config: { ...config, isEnrollment: true }, bodyLimit: 64 * kilobyte } as const
  scope.post('/enroll', enrollment, async (request, reply) => answerWith(reply, await enroll(context, request)))
  const options = { config, bodyLimit: 16 * kilobyte }
  scope.post('/config', { ...options, onRequest: admitByHeader(context) }, (request, reply) =>
    respond(context, bodies, request, reply, async (device) =>
      success(deviceConfig(stateOf(device).deviceId, stateOf(device).reportsAs, context.registry.size())),
    ),
  )
  scope.post('/distributed/read', { ...options, onRequest: admitByHeader(context) }, (request, reply) =>
    respond(context, bodies, request, reply, (found) => answerRead(context, found)),
  )
}

function addLargeEndpoints(scope: FastifyInstance, context: AgentContext, bodies: BodyReceiver): void {
  const options = { config, bodyLimit: 16 * megabyte, onRequest: admitByHeader(context) }
  scope.post('/distributed/write', options, (request, reply) => {
    const { agentDevice: device } = request
    const write = () =>
      respond(context, bodies, request, reply, async (found, { fields, isCut }) => {
        const take = isCut ? takeCutAnswers : takeAnswers
        await take(context, stateOf(found), fields, isDatabaseUnavailable)
        return success()
      })
    const isLong = (bodyOf(request)?.bytes.length ?? 0) > smallBytes
    if (!device || !isLong) return write()
    if (stateOf(device).isUnconfirmed) return answerWith(reply, success())
    return context.largeBodies.take({ kind: 'write', device: stateOf(device), isGone: isGone(request) }, write)
  })
  scope.post('/log', options, async (request, reply) => {
    const { agentDevice: device, ip } = request
    // Its lines count once it is confirmed: then it reports again.
    if (device && stateOf(device).isUnconfirmed) return answerWith(reply, success())
    const log = { body: bodyOf(request), device, ip, isGone: isGone(request) }
    return answerWith(reply, await answerLog(context, log, isDatabaseUnavailable))
  })
}

function bodyOf({ agentBody }: FastifyRequest): BodyText | undefined {
  return agentBody?.kind === 'read' ? agentBody : undefined
}

/** Agents since osquery 5.23 send the node key in a header, too, so that a stranger's body need not be read. */
function admitByHeader(context: AgentContext) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const nodeKey = nodeKeyOf(request.headers.authorization)
    const known = nodeKey === undefined ? undefined : context.registry.find(nodeKey)
    if (nodeKey === undefined || (known && !isStale(known))) {
      request.agentDevice = known
      done()
      return
    }
    authenticate(context, nodeKey, request.ip).then((found) => {
      request.agentDevice = found
      if (found) return done()
      endSoon(request.raw)
      answerWith(reply, unknownNodeKey)
    }, done)
  }
}

/** Answers an authenticated request; the body's node key counts where no header has one. */
async function respond(
  context: AgentContext,
  bodies: BodyReceiver,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (device: DeviceState | LoadedDevice, body: ParsedBody) => Promise<Answer>,
): Promise<FastifyReply> {
  const body = await parseBody(context, request)
  if (body === 'too_large') return answerWith(reply, tooLarge)
  if (!body) return answerWith(reply, unreadable)
  const found = request.agentDevice ?? (await authenticateByBody(context, body.fields, request.ip))
  if (!found) return answerWith(reply, unknownNodeKey)
  if (request.headers.authorization === undefined) bodies.vouch(request, stateOf(found))
  noteContact(context, stateOf(found), context.clock())
  return answerWith(reply, await work(found, body))
}

const noBody: BodyText = { bytes: Buffer.alloc(0), isCut: false }

/** A long body of a device that is known is taken as far as it fits; one that may only be short is not. */
async function parseBody(
  context: AgentContext,
  request: FastifyRequest,
): Promise<ParsedBody | 'too_large' | undefined> {
  const body = bodyOf(request) ?? noBody
  if (body.isCut && body.bytes.length <= smallBytes) return 'too_large'
  const parsed = await parseWhatFits(context, body)
  return parsed?.isCut && !request.agentDevice ? 'too_large' : parsed
}

async function enroll(context: AgentContext, request: FastifyRequest): Promise<Answer> {
  const enrollment = readEnrollment(parseFields(bodyOf(request)?.bytes))
  const organizationId = enrollment && (await admitEnrollment(context, enrollment.secret, request.ip))
  if (!enrollment || organizationId === undefined) return unknownSecret
  const caller = { organizationId, source: sourceOf(request), isGone: isGone(request) }
  const enrolled = await enrollDevice(context, enrollment, caller)
  if ('nodeKey' in enrolled) return success(JSON.stringify({ node_key: enrolled.nodeKey, node_invalid: false }))
  return enrolled.refusal === 'identity_conflict' ? identityConflict : unknownSecret
}

/** Whether nobody waits for the answer anymore. */
function isGone({ raw: { socket } }: FastifyRequest): () => boolean {
  return () => socket.destroyed || socket.readableEnded
}

function answerOfError(context: AgentContext, error: unknown, request: FastifyRequest): Answer {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (error instanceof Error && status !== 500) return failure(status, error.message)
  const isUnavailable = isDatabaseUnavailable(error)
  context.log[isUnavailable ? 'warn' : 'error']({ requestId: request.id, err: error }, 'agent request failed')
  return isUnavailable ? failure(503, 'The service is not available') : failure(500, 'The request failed')
}
