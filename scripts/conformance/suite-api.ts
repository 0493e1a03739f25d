import { setTimeout as pause } from 'node:timers/promises'
import { callOrigin } from '../../server/test/support/call-origin.ts'
import type { AvailablePlan } from './plans.ts'
import type { LogEntry, ModuleInfo } from './results.ts'

export type SuiteApi = ReturnType<typeof suiteAt>

export type SuiteModule = { readonly testModule: string; readonly variant?: Readonly<Record<string, string>> | null }

const ends = new Set(['FINISHED', 'INTERRUPTED'])
/** The longest module waits a minute for events. */
const moduleLimitMs = 300_000

/** The REST API of a suite in development mode, which asks nobody to sign in. */
export function suiteAt(url: string) {
  async function ask(method: string, path: string, query: Record<string, string> = {}, body?: object) {
    const given = body && { body }
    const answer = await callOrigin(url, method, `${path}?${new URLSearchParams(query)}`, {
      ...given,
      isTrusting: true,
    })
    if (answer.status < 300) return answer.body
    throw new Error(`The suite answered ${method} ${path} with ${answer.status}: ${JSON.stringify(answer.body)}`)
  }

  return {
    version: async (): Promise<string> => String((await ask('GET', '/api/server')).version),
    plans: (): Promise<AvailablePlan[]> => ask('GET', '/api/plan/available'),
    createPlan: (planName: string, variant: object, config: object): Promise<{ id: string; modules: SuiteModule[] }> =>
      ask('POST', '/api/plan', { planName, variant: JSON.stringify(variant) }, config),
    async startModule(plan: string, { testModule, variant }: SuiteModule): Promise<string> {
      const query = { test: testModule, plan, variant: JSON.stringify(variant ?? {}) }
      return (await ask('POST', '/api/runner', query)).id
    },
    log: (id: string): Promise<LogEntry[]> => ask('GET', `/api/log/${id}`),
    /** Resolves once the module has ended; `meanwhile` runs about once a second until then. */
    async finish(id: string, meanwhile: () => Promise<void>): Promise<ModuleInfo> {
      for (const startedAt = performance.now(); ; ) {
        const info: ModuleInfo = await ask('GET', `/api/info/${id}`)
        if (ends.has(info.status) || performance.now() - startedAt > moduleLimitMs) return info
        await meanwhile()
        await pause(500)
      }
    },
  }
}
