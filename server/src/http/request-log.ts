import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { loggedPath } from './logged-path.ts'

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
