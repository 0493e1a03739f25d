import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** Of records, sign-ins and streams. */
const identifier = /^(?:\d{1,19}|[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * Of the secrets that Muster makes, what programs read has 22 characters and more, never all of them small letters. A percent
 * sign may hide anything.
 */
const word = /^(?:[\w.~-]{0,19}|[a-z_.-]{20,24})$/

/** What people read out and type: codes from IT and recovery codes have ten letters and digits, with hyphens or without. */
const typedCode = /(?:^_*|[.~])(?:-*[a-z0-9]){10}-*(?:_*$|[.~])/i

/** The secret of a webhook endpoint is base64, whose slashes would make short parts of it. */
const fromEndpointSecret = /whsec_.*/s

/** One line for every answer, without the query string, which may hold names of people, and without secrets in the path. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode
    const { config } = request.routeOptions
    const level = status >= 500 ? 'error' : config.isChatty && status < 400 ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) {
      const { url, method, principal } = request
      const line = {
        request_id: request.id,
        method,
        path: loggedPath(url, request.routeOptions.url),
        status,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        remote_address: request.ip,
        cause: request.source?.cause,
        organization_id: principal?.organizationId,
        api_key_id: principal?.keyId,
      }
      log[level](line, 'request')
    }
    done()
  })
}

/** The path of an address as it is logged: without the query, and without what could be a secret and the route does not have itself. */
export function loggedPath(url: string, route = ''): string {
  const own = route.split('/')
  const [path = ''] = url.split('?', 1)
  const safe = path.replace(fromEndpointSecret, '[secret]')
  const parts = safe.split('/').map((part, place) => (part === own[place] || isPlain(part) ? part : '[secret]'))
  return parts.join('/')
}

const isPlain = (part: string): boolean => identifier.test(part) || (word.test(part) && !typedCode.test(part))
