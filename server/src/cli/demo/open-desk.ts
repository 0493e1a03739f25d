import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerLoopback, type LoopbackParts } from '@muster/agent/companion/answer-loopback.ts'
import { keepLoopback } from '@muster/agent/companion/keep-loopback.ts'
import { rateLimit } from '@muster/agent/companion/rate-limit.ts'
import { type CompanionOptions, runCompanion } from '@muster/agent/companion/run-companion.ts'
import { nothingTold } from '@muster/agent/companion/who-asks.ts'
import type { Seat } from './demo-people.ts'

export type Desk = ReturnType<typeof openDesk>

const readyLimitMs = 5_000
const pollMs = 20
const requestsPerSecond = 20

const nobody: LoopbackParts = {
  origin: () => undefined,
  wake: () => {},
  prove: async () => ({ refused: 'unknown_key' }),
  whoAsks: nothingTold,
}

/**
 * The desk with one chair: a browser reaches the companion of the machine that it runs on, and no other. So of all
 * machines of the demo one answers at a time. This machine's companion listens where companions listen; made-up laptops
 * have no loopback of their own, and answer at the port of the demo.
 */
export function openDesk(musterOrigin: string) {
  const port = Number(new URL(musterOrigin).port)
  const companions = new Map<Seat, LoopbackParts>()
  const isTooFast = { page: rateLimit(requestsPerSecond), navigation: rateLimit(requestsPerSecond) }
  let seat: Seat = null

  /** Runs the companion of a machine. Until the visitor sits there, it answers nobody, as before its first check-in. */
  const companionOf =
    (name: Exclude<Seat, null>) =>
    (options: CompanionOptions): Promise<void> =>
      runCompanion({
        ...options,
        keepLoopback: async (ports, parts, more) => {
          companions.set(name, parts)
          if (name !== 'this machine') return { port: null, takenPorts: [], close: async () => {} }
          return keepLoopback(ports, { ...parts, origin: () => (seat === name ? parts.origin() : undefined) }, more)
        },
      })

  /** Resolves once the companion of the machine can answer, which then asks at once what there is to run. */
  async function sitAt(name: Seat): Promise<void> {
    seat = name
    if (name === null) return
    const endsAtMs = performance.now() + readyLimitMs
    while (companions.get(name)?.origin() === undefined && performance.now() < endsAtMs) await sleep(pollMs)
    companions.get(name)?.wake()
  }

  /** Answers what pages ask of a companion, where the visitor sits at a made-up laptop. */
  function answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (!request.url?.startsWith('/v1/')) return false
    const { origin, wake, prove } = (seat === 'this machine' ? undefined : companions.get(seat)) ?? nobody
    // A page does not say where it is from when it reads from its own origin.
    if (request.method === 'GET') request.headers.origin ??= musterOrigin
    // A made-up laptop has no processes: what holds the other end here may be the SSH server of whoever looks on.
    void answerLoopback({ request, response, port, isTooFast }, { origin, wake, prove, whoAsks: nothingTold })
    return true
  }

  return { companionOf, sitAt, answer }
}
