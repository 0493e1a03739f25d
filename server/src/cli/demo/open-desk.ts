import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CompanionOptions, runCompanion } from '@muster/agent/companion/run-companion.ts'
import { companionPorts } from '../../agents/companion-keys/companion-ports.ts'
import type { Seat } from './demo-people.ts'

export type Desk = ReturnType<typeof openDesk>

type Sitting = { name: Seat; stop: AbortController; ended: Promise<void> }

const listenLimitMs = 5_000

/**
 * The desk with one chair: a browser reaches the companion of the machine that it runs on, and no other. So of all
 * machines of the demo, one has its companion running at a time.
 */
export function openDesk(musterOrigin: string) {
  const machines = new Map<Seat, CompanionOptions>()
  let sitting: Sitting | undefined
  let turn: Promise<unknown> = Promise.resolve()

  /** What the agent of a machine has for a companion. It runs while the visitor sits there. */
  const companionOf =
    (name: Seat) =>
    async (options: CompanionOptions): Promise<void> => {
      machines.set(name, options)
      await aborted(options.signal)
      machines.delete(name)
    }

  /** Resolves once the companion of the machine answers, or there is none. */
  function sitAt(name: Seat): Promise<void> {
    const next = turn.then(() => change(name))
    turn = next.catch(() => {})
    return next
  }

  async function change(name: Seat): Promise<void> {
    if (sitting?.name !== name) {
      sitting?.stop.abort()
      await sitting?.ended
      sitting = undefined
      const options = await waitFor(() => machines.get(name), name === null ? 0 : listenLimitMs)
      if (!options) return
      const stop = new AbortController()
      const signal = AbortSignal.any([options.signal, stop.signal])
      const ended = runCompanion({ ...options, signal }).catch((error: unknown) => options.log(`companion: ${error}`))
      sitting = { name, stop, ended }
    }
    await waitFor(async () => (await answers(musterOrigin)) || undefined, listenLimitMs)
  }

  return { companionOf, sitAt, close: () => sitAt(null) }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function waitFor<Value>(
  find: () => Value | undefined | Promise<Value | undefined>,
  limitMs: number,
): Promise<Value | undefined> {
  const endsAtMs = performance.now() + limitMs
  for (;;) {
    const found = await find()
    if (found !== undefined || performance.now() >= endsAtMs) return found
    await sleep(20)
  }
}

/** Whether a companion of this Muster answers. The question also wakes it, so that it asks what there is to run. */
const answers = (origin: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = companionPorts.map(async (port) => {
      // Whatever else listens at another port may take its time.
      if ((await hello(port, origin)) === 204) resolve(true)
    })
    void Promise.all(asked).then(() => resolve(false))
  })

const hello = (port: number, origin: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/v1/hello', headers: { origin }, timeout: 1_000 })
    asked.on('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
    asked.end()
  })
