import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** Words, record identifiers and UUIDs; every secret that Muster makes is longer, and a percent sign may hide anything. */
const plainPart = /^(?:[\w.~-]{0,24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

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
        organization_id: principal?.organizationId,
        api_key_id: principal?.keyId,
      }
      log[level](line, 'request')
    }
    done()
  })
}

/** The path of an address as it is logged: without the query, and without long parts that the route does not have itself. */
export function loggedPath(url: string, route = ''): string {
  const own = route.split('/')
  const [path = ''] = url.split('?', 1)
  const safe = path.replace(fromEndpointSecret, '[secret]')
  const parts = safe.split('/').map((part, place) => (part === own[place] || plainPart.test(part) ? part : '[secret]'))
  return parts.join('/')
}
