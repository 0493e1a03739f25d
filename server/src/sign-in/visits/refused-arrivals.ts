import { Counter } from 'prom-client'
import { hourMs } from '../../base/time.ts'

type Refusal = 'too_many' | 'replayed' | 'refused' | 'unknown'
/** `fault`: what is wrong with the times of the last one, as whoever sent it has written them. */
type RefusedLine = { clientId: string; refused: number; fault?: string }
type Count = { sinceMs: number; refused: number }

const maxClients = 1_000

/** Counts requests that began no sign-in: a metric for all of them, and one line an hour for each client. */
export function refusedArrivals(tell: (line: RefusedLine) => void) {
  const counter = new Counter({
    name: 'muster_sign_ins_refused_total',
    help: 'Requests that began no sign-in: too_many (of one network, or at one client), replayed, refused (as not signed, forged or stale), unknown (no such request).',
    labelNames: ['reason'] as const,
    registers: [],
  })
  const counts = new Map<string, Count>()

  function note(clientId: string, reason: Refusal, fault?: string): void {
    counter.inc({ reason })
    const nowMs = performance.now()
    const count = counts.get(clientId) ?? { sinceMs: nowMs, refused: 0 }
    count.refused += 1
    counts.delete(clientId)
    counts.set(clientId, count)
    const [oldest] = counts.keys()
    if (counts.size > maxClients && oldest !== undefined) counts.delete(oldest)
    if (count.refused > 1 && nowMs - count.sinceMs < hourMs) return
    tell({ clientId, refused: count.refused, ...(fault !== undefined && { fault }) })
    if (nowMs - count.sinceMs >= hourMs) counts.delete(clientId)
  }

  return { counter, note }
}
