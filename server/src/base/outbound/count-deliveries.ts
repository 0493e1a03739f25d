import { Counter } from 'prom-client'

const outcomes = {
  push_stream: ['delivered', 'rejected', 'retried'],
  webhook: ['delivered', 'failed', 'retried'],
} as const

type Attempted = { state: 'pending' | 'delivered' | 'rejected' | 'failed' }

/** In no registry: the process that serves metrics registers it. */
export const deliveryCounter = new Counter({
  name: 'muster_deliveries_total',
  help: 'Attempts to deliver events, by kind and outcome: delivered, rejected (the receiver refuses the event), failed (given up), retried (it is tried again).',
  labelNames: ['kind', 'outcome'] as const,
  registers: [],
})

for (const [kind, ofKind] of Object.entries(outcomes)) {
  for (const outcome of ofKind) deliveryCounter.inc({ kind, outcome }, 0)
}

/** Counts attempts whose outcomes are written. */
export function countDeliveries(kind: keyof typeof outcomes, attempts: readonly Attempted[]): void {
  for (const { state } of attempts) deliveryCounter.inc({ kind, outcome: state === 'pending' ? 'retried' : state })
}
