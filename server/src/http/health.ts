import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Rejects when a part of the service does not work. */
export type HealthCheck = () => Promise<unknown>

type Finding = { status: 'pass' | 'fail'; duration_ms: number }

const timeLimitMs = 2_000

/**
 * `/healthz` names every part and whether it works: 200, or 503 when any does not. `/readyz` says whether to send
 * requests here: all parts work and the server is not stopping. Neither says why; the log does.
 */
export function addHealth(app: FastifyInstance, checks: Readonly<Record<string, HealthCheck>>): void {
  let isStopping = false
  app.addHook('preClose', (done) => {
    isStopping = true
    done()
  })
  const examine = async (): Promise<Record<string, Finding>> => {
    const findings = Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)] as const)
    return Object.fromEntries(await Promise.all(findings))
  }

  async function run(name: string, check: HealthCheck): Promise<Finding> {
    const startedAt = performance.now()
    const timer = new AbortController()
    const late = pause(timeLimitMs, undefined, { signal: timer.signal, ref: false }).then(() => {
      throw new Error(`No answer within ${timeLimitMs} ms`)
    })
    const finding = (status: 'pass' | 'fail'): Finding => ({
      status,
      duration_ms: Math.round(performance.now() - startedAt),
    })
    try {
      await Promise.race([check(), late])
      return finding('pass')
    } catch (error) {
      app.kit.log.warn({ check: name, err: error }, 'health check failed')
      return finding('fail')
    } finally {
      late.catch(() => {})
      timer.abort()
    }
  }

  const config = { access: 'operator', isChatty: true } as const
  app.get('/healthz', { config }, async (_request, reply) => {
    const parts = await examine()
    const isWell = Object.values(parts).every(({ status }) => status === 'pass')
    reply.code(isWell ? 200 : 503)
    return { status: isWell ? 'pass' : 'fail', checks: parts }
  })
  app.get('/readyz', { config }, async (_request, reply) => {
    const parts = await examine()
    const isReady = !isStopping && Object.values(parts).every(({ status }) => status === 'pass')
    reply.code(isReady ? 200 : 503)
    return { status: isReady ? 'ready' : 'not ready' }
  })
}
