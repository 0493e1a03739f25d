import { setTimeout as pause } from 'node:timers/promises'
import { callOrigin } from '../../server/test/support/call-origin.ts'
import type { AvailablePlan } from './plans.ts'
import type { LogEntry, ModuleInfo } from './results.ts'

export type SuiteApi = ReturnType<typeof suiteAt>

export type SuiteModule = { readonly testModule: string; readonly variant?: Readonly<Record<string, string>> | null }

/** An address that a browser has to open, by GET or POST. */
export type SuitePage = { readonly url: string; readonly method: string }

const ends = new Set(['FINISHED', 'INTERRUPTED'])
/** The longest module waits a minute for events. */
const moduleLimitMs = 300_000

/** The REST API of a suite in development mode, which asks nobody to sign in. */
export function suiteAt(url: string) {
  async function ask(method: string, path: string, query: Record<string, string> = {}, body?: object) {
    const given = body && { body, ...(Buffer.isBuffer(body) && { headers: { 'content-type': 'text/plain' } }) }
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
    /** What the module waits for a browser to open; nothing of one that has ended. */
    async pages(id: string): Promise<SuitePage[]> {
      const answer = await callOrigin(url, 'GET', `/api/runner/${id}`, { isTrusting: true })
      return answer.status === 200 ? (answer.body.browser?.urlsWithMethod ?? []) : []
    },
    visited: (id: string, page: SuitePage) => ask('POST', `/api/runner/browser/${id}/visit`, { url: page.url }),
    /** What a person saw, in PNG, where the module asks for it. */
    show: (id: string, placeholder: string, picture: Buffer) =>
      ask(
        'POST',
        `/api/log/${id}/images/${placeholder}`,
        {},
        Buffer.from(`data:image/png;base64,${picture.toString('base64')}`),
      ),
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
