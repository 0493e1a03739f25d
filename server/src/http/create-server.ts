import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { consoleErrorCodes, type ErrorCode } from '@muster/contract/errors.ts'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../base/config/load-config.ts'
import { ServiceError } from '../base/errors.ts'
import { unstorableTexts } from '../base/storable.ts'
import { allowedMethodsFinder } from './allowed-methods.ts'
import { answerClientError } from './answer-client-error.ts'
import { bearerChallenge } from './bearer-challenge.ts'
import { openPage } from './caller-scheme.ts'
import { consoleAddressOf } from './console-address.ts'
import { addEarlyAnswers } from './early-answers.ts'
import { endConnectionsAtStop } from './end-connections.ts'
import { drawErrorPage, type ErrorPage } from './error-pages.ts'
import { errorBodyOf, statusOf, toServiceError } from './errors.ts'
import { asMalformed, explainValidation } from './explain-validation.ts'
import { refuseMethod } from './fixed-addresses.ts'
import { addressReader } from './forwarded-address.ts'
import { hostFault } from './host-fault.ts'
import { parseJsonBodies } from './json-bodies.ts'
import type { KnownRoute } from './kit.ts'
import { isEncoded } from './letters.ts'
import { readBodiesAsJson } from './read-json-body.ts'
import { requestIdOf } from './request-id.ts'
import { unmatchedRequest, versionConstraint } from './versions.ts'
import { boundBodies } from './whole-body.ts'

/** Addresses may have 32 kB and headers as much again; the longest `next` of a list has some 10 kB. */
const maxHeaderSize = 64 * 1024
/** Node's own answer to a request without Host has neither a body nor a request id. */
const parserOptions = { maxHeaderSize, requireHostHeader: false }
const bodyLimit = 1024 * 1024

/** The bare server: versions, request ids, bodies, errors and a clean stop. Routes are added to it afterwards. */
export function createServer(config: Config, log: Logger): FastifyInstance {
  const answering: Answering = { config, log, errorPages: [] }
  const options = {
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for every request costs more than it is used; what is logged names the request id itself.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    trustProxy: config.trustProxy,
    bodyLimit,
    return503OnClosing: false,
    // Longer than load balancers and agents hold an idle connection, so that they are the ones to close it.
    keepAliveTimeout: 75_000,
    requestTimeout: 60_000,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } },
    schemaErrorFormatter: explainValidation,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      // Hooks do not run before these.
      answerError(answering, error, request, reply.headers(commonHeaders)),
    routerOptions: {
      ignoreTrailingSlash: true,
      constraints: { apiVersion: versionConstraint(config.apiVersionHeaderAliases) },
    },
  } satisfies FastifyServerOptions
  const app = config.tls
    ? Fastify({ ...options, https: tlsOptions(config.tls) })
    : Fastify({ ...options, http: parserOptions })
  const addressOf = addressReader({ trustProxy: config.trustProxy, warn: (facts, text) => log.warn(facts, text) })
  addEarlyAnswers(app, { addressOf, isEachLogged: () => log.isLevelEnabled('debug') })
  rememberRoutes(app, config)
  endConnectionsAtStop(app)
  boundBodies(app)
  parseJsonBodies(app)
  readBodiesAsJson(app)
  answerErrors(app, answering)
  addCommonHeaders(app)
  leaveOutStreamsOfHead(app)
  requireHost(app, answering)
  refuseUnstorableAddresses(app)
  return app
}

const tlsOptions = ({ certFile, keyFile }: { certFile: string; keyFile: string }) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
  ...parserOptions,
})

/** What was registered by whatever means, for the policy that every route is held to and for 405s. */
export function rememberRoutes(
  app: FastifyInstance,
  { apiVersionHeaderAliases }: Pick<Config, 'apiVersionHeaderAliases'>,
): void {
  const routes: KnownRoute[] = []
  app.decorate('routes', routes)
  app.decorate('allowedMethods', allowedMethodsFinder(app, apiVersionHeaderAliases))
  app.addHook('onRoute', function remember(route) {
    if (route.handler !== refuseMethod) routes.push({ ...route, scope: this })
  })
}

const isOfSessions = (code: ErrorCode): boolean => consoleErrorCodes.some((own) => own === code)

function requireHost(app: FastifyInstance, answering: Answering): void {
  app.addHook('onRequest', (request, reply, done) => {
    const message = hostFault(request.raw)
    if (message === undefined) return done()
    const error = new ServiceError('malformed_request', { message })
    answerError(answering, error, request, reply.header('connection', 'close'))
  })
}

/** Of every route, whatever it declares; bodies are held to the same by their parser. */
function refuseUnstorableAddresses(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.is404) return done()
    if (unstorableTexts(request.params).length > 0) return done(new ServiceError('not_found'))
    // The query of a page is for its script, which says itself what it makes no sense of.
    if (request.routeOptions.config.scheme === openPage.scheme) return done()
    const errors = unstorableTexts(request.query)
    done(errors.length > 0 ? new ServiceError('invalid', { errors }) : undefined)
  })
}

type Answering = { config: Config; log: Logger; errorPages: ErrorPage[] }

function answerErrors(app: FastifyInstance, answering: Answering): void {
  app.decorate('errorPages', answering.errorPages)
  app.setErrorHandler((error, request, reply) => answerError(answering, error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const refusal = unmatchedRequest(path, request.headers, answering.config.apiVersionHeaderAliases)
    const methods = refusal.code === 'not_found' ? app.allowedMethods(path, request.headers) : []
    // A route that has the method has said itself that there is nothing.
    const hasSaid = request.method !== 'OPTIONS' && methods.includes(request.method)
    if (hasSaid || methods.length === 0) return answerError(answering, refusal, request, reply)
    // RFC 9110 §9.3.7 and §15.5.6
    reply.header('allow', methods.join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    const message = `This address does not support ${request.method}. Use ${methods.join(', ')}.`
    return answerError(answering, new ServiceError('method_not_allowed', { message }), request, reply)
  })
}

function answerError(answering: Answering, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { config, log, errorPages } = answering
  const refusal = refusalFor(error, request)
  const status = statusOf[refusal.code]
  const page = refusal.code === 'unauthorized' || refusal.code === 'not_found' ? consoleAddressOf(request) : undefined
  if (page !== undefined) return void reply.header('vary', 'accept').redirect(page, 303)
  if (status >= 500 || refusal.detail !== undefined) {
    const level = status === 500 ? 'error' : 'warn'
    log[level]({ request_id: request.id, detail: refusal.detail, err: refusal.cause ?? refusal }, 'request failed')
  }
  const drawn = drawErrorPage(errorPages, request, refusal, status)
  if (drawn) reply.headers(drawn.headers)
  // RFC 9110 §12.5.3: of the 415s, only those about a content coding.
  if (status === 415 && isEncoded(request)) reply.header('accept-encoding', 'identity')
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds))
  // RFC 9110 §11.6.1: a 401 names the scheme that would do. RFC 6750 §3.1: so does a 403 to a bearer token.
  const isOfBearer = status === 401 ? !isOfSessions(refusal.code) : refusal.code === 'permission_missing'
  if (isOfBearer && !request.url.startsWith('/console/')) {
    reply.header(
      'www-authenticate',
      bearerChallenge(refusal.code, request, request.principal?.baseUrl ?? config.baseUrl),
    )
  }
  reply
    .code(status)
    .header('x-request-id', request.id)
    .send(drawn?.body ?? errorBodyOf(refusal))
}

/** Access tokens are for clients of the Shared Signals Framework, which lists 400 where this API answers 422 (SSF 1.0 §8.1). */
function refusalFor(error: unknown, { credential }: FastifyRequest): ServiceError {
  const refusal = toServiceError(error)
  return credential === 'access_token' && statusOf[refusal.code] === 422 ? asMalformed(refusal) : refusal
}

/** A HEAD is answered as its GET would be, without the body: a body that is a stream is not even begun. */
function leaveOutStreamsOfHead(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return done(null, payload)
    payload.destroy()
    // Fastify reads a stream of Node's to its end, and cancels one of the web.
    done(null, new ReadableStream())
  })
}

const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.headers(commonHeaders)
    done()
  })
}
