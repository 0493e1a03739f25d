import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'

/** Four times what a page of a list has. */
const maxCharacters = 8_000_000

type Done = (error: Error | null, payload?: unknown) => void

/**
 * Holds back an answer that nothing else has bounded, before it takes memory for as long as nobody reads it. Operations
 * bound their answers themselves: one that comes to this is at fault.
 */
export function boundAnswer(request: FastifyRequest, _reply: FastifyReply, payload: unknown, done: Done): void {
  if (typeof payload === 'string' && payload.length > maxCharacters) {
    const { operationId } = request.routeOptions.config
    done(new ServiceError('internal', { detail: `${operationId} answers ${payload.length} characters` }))
  } else done(null, payload)
}
