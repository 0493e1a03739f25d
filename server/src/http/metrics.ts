import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { fail } from '../errors.ts'

/** Measures every request and serves `/metrics` in Prometheus text, with a token or to this machine only. */
export function addMetrics(app: FastifyInstance, token: string | undefined): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  measureRequests(app, registry)
  app.get('/metrics', { config: { access: 'operator', isChatty: true } }, async (request, reply) => {
    admitOperator(request, token)
    reply.header('content-type', registry.contentType)
    return registry.metrics()
  })
  return registry
}

function measureRequests(app: FastifyInstance, registry: Registry): void {
  const histogram = new Histogram({
    name: 'muster_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const series = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>()
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const status = String(reply.statusCode)
    const name = `${request.method} ${route} ${status}`
    let one = series.get(name)
    if (!one) {
      one = histogram.labels(request.method, route, status)
      series.set(name, one)
    }
    one.observe(reply.elapsedTime / 1000)
    done()
  })
}

function admitOperator(request: FastifyRequest, token: string | undefined): void {
  if (token === undefined) {
    // Behind a proxy on this machine the socket is always local, so the forwarded address counts as well.
    const addresses = [request.socket.remoteAddress ?? '', request.ip]
    if (!addresses.every(isLoopback)) fail('not_found')
    return
  }
  const header = request.headers.authorization ?? ''
  // Digests have one length, and comparing them tells nothing about the token.
  if (!timingSafeEqual(digest(header), digest(`Bearer ${token}`)))
    fail('unauthorized', { message: 'The metrics need their token.' })
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1'
}
