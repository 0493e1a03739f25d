import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The caller's own id where it is harmless in a header and in a log, so that one id follows a request through. */
export function requestIdOf(request: IncomingMessage): string {
  const own = request.headers['x-request-id']
  return typeof own === 'string' && /^[\w.:-]{1,128}$/.test(own) ? own : randomUUID()
}
