import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { fail } from '../base/errors.ts'
import { operatorPage } from './caller-scheme.ts'

/** Measures every request and serves `/metrics` in Prometheus text, with a token or to this machine only. */
export function addMetrics(app: FastifyInstance, token: string | undefined): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  measureRequests(app, registry)
  app.get('/metrics', { config: operatorPage }, async (request, reply) => {
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
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
    registers: [registry],
  })
  const counter = new Counter({
    name: 'muster_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Map<string, Histogram.Internal<'method' | 'route'>>()
  const counts = new Map<string, Counter.Internal>()
  function measure(method: string, route: string, status: string, durationMs: number): void {
    const duration = memoized(durations, `${method} ${route}`, () => histogram.labels(method, route))
    duration.observe(durationMs / 1000)
    memoized(counts, `${method} ${route} ${status}`, () => counter.labels(method, route, status)).inc()
  }
  app.earlyAnswers.whenAnswered((route, durationMs) => measure('POST', route, '200', durationMs))
  app.addHook('onResponse', (request, reply, done) => {
    // Of the routes there are: whatever strangers send, there are no more series than routes and statuses.
    const route = request.routeOptions.url ?? 'none'
    measure(methodOf(request, route), route, String(reply.statusCode), reply.elapsedTime)
    done()
  })
}

/** HEAD is GET without the body. What has no route may be asked with any of the methods that HTTP knows. */
function methodOf({ method }: FastifyRequest, route: string): string {
  if (route === 'none') return 'any'
  return method === 'HEAD' ? 'GET' : method
}

function memoized<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function admitOperator(request: FastifyRequest, token: string | undefined): void {
  if (token === undefined) {
    // Behind a proxy on this machine the socket is always local, whether or not the proxy is trusted.
    const isForwarded = Object.keys(request.headers).some((name) => forwarding.test(name))
    if (isForwarded || !isLoopback(request.socket.remoteAddress ?? '')) fail('not_found')
    return
  }
  const header = request.headers.authorization ?? ''
  // Digests have one length, and comparing them tells nothing about the token.
  if (!timingSafeEqual(digest(header), digest(`Bearer ${token}`)))
    fail('unauthorized', { message: 'The metrics need their token.' })
}

/** What proxies add to the requests that they pass on. */
const forwarding = /^(?:forwarded|x-forwarded-.*|x-real-ip|via)$/

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1'
}
