import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import { operatorPage } from './caller-scheme.ts'
import { ownVersion } from './own-version.ts'

/**
 * Resolves to nothing while a part of the service works, or to a sentence that says what is wrong and is fit for
 * everyone to read. A rejection means that the part does not work, too; its own words go to the log only.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: checks that only reject have nothing to return
export type HealthCheck = () => Promise<string | undefined | void>

type Finding = { status: 'pass' | 'fail'; duration_ms: number; reason?: string }

const timeLimitMs = 2_000

/**
 * `/livez` is about this process alone: it answers while the process can. `/healthz` names every part of the service
 * and whether it works: 200, or 503 when any does not. `/readyz` says whether to send requests here: all parts work
 * and the server is not about to stop. Returns what metrics say of the same.
 */
export function addHealth(app: FastifyInstance, log: Logger, checks: Readonly<Record<string, HealthCheck>>): Gauge[] {
  const examine = async (): Promise<Record<string, Finding>> => {
    const findings = Object.entries(checks).map(async ([name, check]) => [name, await run(name, check, log)] as const)
    return Object.fromEntries(await Promise.all(findings))
  }
  const passes = (parts: Record<string, Finding>) => Object.values(parts).every(({ status }) => status === 'pass')

  app.get('/livez', { config: operatorPage }, async () => ({ status: 'alive' }))
  // What load generators of the field ask first, and without it send no logs.
  app.get('/version', { config: operatorPage }, async () => ({ version: ownVersion }))
  app.get('/healthz', { config: operatorPage }, async (_request, reply) => {
    const parts = await examine()
    const isHealthy = passes(parts)
    reply.code(isHealthy ? 200 : 503)
    return { status: isHealthy ? 'pass' : 'fail', checks: parts }
  })
  app.get('/readyz', { config: operatorPage }, async (_request, reply) => {
    const isReady = !app.isDraining() && passes(await examine())
    reply.code(isReady ? 200 : 503)
    return { status: isReady ? 'ready' : 'not ready' }
  })
  return [buildInfo(), healthGauge(examine)]
}

function buildInfo(): Gauge {
  const gauge = new Gauge({
    name: 'muster_build_info',
    help: 'Always 1; the version of Muster that this process runs.',
    labelNames: ['version'],
    registers: [],
  })
  gauge.set({ version: ownVersion }, 1)
  return gauge
}

const healthGauge = (examine: () => Promise<Record<string, Finding>>): Gauge =>
  new Gauge({
    name: 'muster_healthy',
    help: '1 while this process finds that a part of the service works, 0 while it does not, by check: database (reached, and takes writes), requests (those of keys get through to the database; not in a worker), background.',
    labelNames: ['check'],
    registers: [],
    async collect() {
      for (const [check, { status }] of Object.entries(await examine())) this.set({ check }, Number(status === 'pass'))
    },
  })

class Late extends Error {}

async function run(name: string, check: HealthCheck, log: Logger): Promise<Finding> {
  const startedAt = performance.now()
  const timer = new AbortController()
  const late = pause(timeLimitMs, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new Late(`It did not answer within ${timeLimitMs / 1000} seconds.`)
  })
  const finding = (status: Finding['status']): Finding => ({
    status,
    duration_ms: Math.round(performance.now() - startedAt),
  })
  try {
    const reason = await Promise.race([check(), late])
    if (typeof reason !== 'string') return finding('pass')
    log.warn({ check: name, reason }, 'health check failed')
    return { ...finding('fail'), reason }
  } catch (error) {
    log.warn({ check: name, err: error }, 'health check failed')
    const reason = error instanceof Late ? error.message : 'It cannot be reached. The log of the server says why.'
    return { ...finding('fail'), reason }
  } finally {
    late.catch(() => {})
    timer.abort()
  }
}
