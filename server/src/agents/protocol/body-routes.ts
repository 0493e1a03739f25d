import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from './answers.ts'
import type { BodyReceiver, Received } from './bodies/receive-bodies.ts'
import type { Sender } from './bodies/receive-unknown.ts'
import { releaseWith } from './bodies/release-with.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The device whose node key is in the Authorization header, or was found at the start or end of the body. */
    agentDevice: Sender | undefined
    /** What has become of the body. */
    agentBody: Received | undefined
  }
  interface FastifyContextConfig {
    isEnrollment?: true
  }
}

const kilobyte = 1024

export function answerWith(reply: FastifyReply, { status, text }: Answer): FastifyReply {
  return reply.code(status).header('content-type', 'application/json').send(text)
}

export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('agentDevice', undefined)
  app.decorateRequest('agentBody', undefined)
}

/** Gives the endpoints of a scope their bodies as bytes, which may be cut, or as undefined where one was refused. */
export function addBodyParser(scope: FastifyInstance, bodies: BodyReceiver): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (request, _payload, done) => {
    receive(request, bodies, (received) => {
      request.agentBody = received
      request.agentDevice ??= received.sender
      if (received.kind === 'failed') done(asError(received.error))
      else done(null, received.kind === 'read' ? received.bytes : undefined)
    })
  })
  scope.addHook('preValidation', answerRefused)
}

function receive(request: FastifyRequest, bodies: BodyReceiver, onReceived: (received: Received) => void): void {
  const { bodyLimit = kilobyte, config } = request.routeOptions
  if (request.agentDevice) bodies.fromDevice(request, request.agentDevice, bodyLimit, onReceived)
  else if (config.isEnrollment) bodies.enrollment(request, bodyLimit, onReceived)
  else bodies.fromUnknown(request, bodyLimit, onReceived)
}

/** Not by an error of the parser, after which the framework closes a connection whose other end still sends. */
function answerRefused({ agentBody: received }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (received?.kind === 'refused') {
    answerWith(reply, received.why)
    return
  }
  if (received?.kind === 'read') releaseWith(reply.raw, received)
  done()
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
