import type { FastifyInstance, FastifyRequest } from 'fastify'
import { memoryShare } from '../base/bodies/memory-share.ts'
import { paces, strangerRate } from '../base/bodies/paces.ts'
import { readBodies } from '../base/bodies/read-bodies.ts'
import { readRate } from '../base/bodies/read-rate.ts'
import { type Account, endSoon, type Fault, type Outcome } from '../base/bodies/reading.ts'
import { ServiceError, tooBusy } from '../base/errors.ts'
import { networkOf } from '../base/network-of.ts'
import { answerClientError } from './answer-client-error.ts'

const mebibyte = 1024 * 1024
const shares = {
  /** Bodies of those whose key, token or session was found good. A party is an organization. */
  known: { maxBytes: 64 * mebibyte, maxPartyBytes: 24 * mebibyte },
  /** All others. A party is a network. */
  stranger: { maxBytes: 16 * mebibyte, maxPartyBytes: 4 * mebibyte },
}

declare module 'fastify' {
  interface FastifyInstance {
    readBody: (request: FastifyRequest, maxBytes: number, onEnd: (outcome: Outcome) => void) => void
  }
  interface FastifyRequest {
    /** The organization whose key, token or session came with the head of the request. */
    sender: string | undefined
    /** Gives back the memory that the body holds. */
    releaseBody: (() => void) | undefined
  }
}

/**
 * Bounds the memory and the time of every body that `wholeBody` reads: by the bytes that have come, never by what is announced.
 * Who is known has a share that strangers cannot take.
 */
export function boundBodies(app: FastifyInstance): void {
  const [known, stranger] = [memoryShare(shares.known), memoryShare(shares.stranger)]
  const rate = readRate(strangerRate)
  const bodies = readBodies()
  const accountOf = ({ sender, ip }: FastifyRequest): Account =>
    sender === undefined
      ? { share: stranger, party: networkOf(ip), pace: paces.stranger, rate }
      : { share: known, party: sender, pace: paces.known }
  app.decorateRequest('sender', undefined)
  app.decorateRequest('releaseBody', undefined)
  app.decorate('readBody', (request, maxBytes, onEnd) =>
    bodies.whole(request.raw, { account: accountOf(request), maxBytes }, onEnd),
  )
  app.addHook('onResponse', (request, _reply, done) => {
    request.releaseBody?.()
    // Of what nobody has read.
    endSoon(request.raw)
    done()
  })
  app.addHook('onClose', async () => {
    bodies.stop()
    rate.stop()
  })
}

type Done = (error: Error | null, body?: unknown) => void
/** What a body is; throws what its sender is told. */
type Parse = (request: FastifyRequest, bytes: Buffer) => unknown

/**
 * Reads a whole body for a parser of the framework, whose own reading has neither a least rate nor a bound on all bodies. A body
 * has at most what its route takes, or `maxBytes` where that is less.
 */
export const wholeBody =
  (parse: Parse, maxBytes = Number.POSITIVE_INFINITY) =>
  (request: FastifyRequest, _payload: unknown, done: Done): void => {
    const { bodyLimit = mebibyte } = request.routeOptions
    request.server.readBody(request, Math.min(maxBytes, bodyLimit), (outcome) => {
      if (outcome.kind === 'read') {
        request.releaseBody = outcome.release
        const parsing = (async () => parse(request, outcome.bytes))()
        parsing.then(
          (body) => done(null, body),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        )
        return
      }
      const why = outcome.kind === 'refused' ? outcome.why : 'broken_off'
      // As Node answers a request that takes too long in all.
      if (why === 'too_slow') answerClientError(timedOut, request.raw.socket)
      else done(refusals[why]())
    })
  }

/** For bodies that are text, such as forms. */
export const wholeText = (parse: (text: string) => unknown, maxBytes: number) =>
  wholeBody((_request, bytes) => parse(bytes.toString('utf8')), maxBytes)

const timedOut = Object.assign(new Error('The body arrived too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

const refusals: Record<Exclude<Fault, 'too_slow'>, () => ServiceError> = {
  too_large: () => new ServiceError('body_too_large'),
  broken_off: () => new ServiceError('malformed_request', { message: 'The connection was interrupted.' }),
  busy: () => tooBusy('Too many bodies are on their way from your network or organization. Try again soon.'),
}
