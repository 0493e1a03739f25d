import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Occasion, RequestSource } from '../base/change-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once something may change by the request. */
    source: RequestSource | undefined
  }
}

/**
 * The same for everything that a request changes. Its cause is the id of the request where we have made that, so that one
 * search of the log finds both; a caller's own id may come twice.
 */
export function sourceOf(request: FastifyRequest): RequestSource {
  const { source, id: requestId, ip: ipAddress, headers } = request
  if (source) return source
  const cause = headers['x-request-id'] === requestId ? randomUUID() : requestId
  request.source = { cause, requestId, ipAddress }
  return request.source
}

/** What a request brings about, at a moment. */
export function occasionOf(request: FastifyRequest, now: string): Occasion {
  const { cause, requestId } = sourceOf(request)
  return { cause, requestId, now }
}
