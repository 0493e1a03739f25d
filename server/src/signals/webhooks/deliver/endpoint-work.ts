import type { Logger } from 'pino'
import type { BatchWriter } from '../../../base/jobs/batch-writer.ts'
import { trackInFlight } from '../../../base/jobs/in-flight.ts'
import type { WorkKey } from '../../../base/jobs/leases.ts'
import type { Outbound } from '../../../base/outbound/outbound.ts'
import { storable } from '../../../base/storable.ts'
import { dayMs } from '../../../base/time.ts'
import type { AttemptOutcome } from '../../webhook-ledger/write-attempts.ts'
import type { Destination } from './destinations.ts'
import { openQueue, type Settled, type Trouble, type Waiting, type Want } from './endpoint-queue.ts'
import { judgeAttempt, type Verdict } from './judge-attempt.ts'
import type { Found } from './list-waiting.ts'
import { type Sent, sendDelivery } from './send-delivery.ts'
import { inheritedTrouble, isToRetryNow, type LeasedEndpoint, type Standing } from './standings.ts'

export type Written = {
  outcome: AttemptOutcome
  /** Undefined while there is nothing to report about the state of the endpoint. */
  standing: () => Standing | undefined
}

export type EndpointParts = {
  outbound: Outbound
  writer: BatchWriter<Written>
  log: Logger
  nowMs: () => number
  /** Called when there may be something to read. */
  wake: () => void
  giveUp: (key: WorkKey, why: 'gone' | 'failing') => void
}

export type EndpointWork = ReturnType<typeof openEndpointWork>

/** An endpoint that has been failing for so long is disabled. */
const failingForMs = 5 * dayMs
/** How long a lease without anything to do soon is kept. */
const idleAheadMs = 10_000
const responseLength = 4_096
const lastDeliveredEveryMs = 5_000

const isoOf = (ms: number): string => new Date(ms).toISOString()

/** Delivering to one endpoint by this process, for as long as it holds the lease. */
export function openEndpointWork(
  parts: EndpointParts,
  leased: LeasedEndpoint,
  first: Destination,
  firstValidUntilMs: number,
) {
  const { outbound, writer, log, nowMs, wake } = parts
  const { organizationId, id: endpointId } = leased
  const key: WorkKey = { organizationId, id: endpointId }
  const queue = openQueue(inheritedTrouble(leased), Math.random)
  if (isToRetryNow(leased)) queue.retryNow()
  const inFlight = trackInFlight(firstValidUntilMs)
  let destination = first
  let lastDeliveredMs: number | undefined
  /** What the database knows, and what it will when the present batch is written. */
  let told = { trouble: queue.trouble(), deliveredMs: 0 }
  let telling = told

  function dispatch(): void {
    inFlight.begin(() => {
      const delivery = queue.next(nowMs())
      return delivery && send(delivery)
    })
  }

  async function send(delivery: Waiting): Promise<void> {
    const startedAtMs = nowMs()
    const sending = { nowMs: startedAtMs, signal: inFlight.signal }
    const sent = await sendDelivery(outbound, { destination, endpointId }, delivery, sending)
    // We cut it: the next process that delivers to the endpoint sends it again.
    if (sent.outcome.kind === 'failed' && inFlight.signal.aborted) return
    const verdict = judgeAttempt(sent.outcome, nowMs())
    const before = queue.trouble()
    const settled = queue.answered(delivery, verdict, startedAtMs, nowMs())
    if (verdict.kind === 'delivered') lastDeliveredMs = nowMs()
    tellOfTrouble(before, queue.trouble())
    dispatch()
    try {
      await writer.write({ outcome: outcomeOf(key, delivery, { sent, verdict, settled, startedAtMs }), standing })
    } catch {
      return
    }
    told = telling
    queue.written(delivery, settled)
    giveUpIfHopeless(verdict)
    dispatch()
    wake()
  }

  function tellOfTrouble(before: Trouble | undefined, after: Trouble | undefined): void {
    const names = { organization_id: organizationId, endpoint_id: endpointId }
    if (!before && after) log.warn({ ...names, reason: after.reason }, 'A webhook endpoint is failing')
    if (before && !after) log.info(names, 'A webhook endpoint has recovered')
  }

  function giveUpIfHopeless({ kind }: Verdict): void {
    const trouble = queue.trouble()
    if (kind === 'gone') parts.giveUp(key, 'gone')
    else if (kind === 'failed' && trouble && nowMs() - trouble.sinceMs >= failingForMs) parts.giveUp(key, 'failing')
  }

  function standing(): Standing | undefined {
    const trouble = queue.trouble()
    const isNewsOfDelivery = lastDeliveredMs !== undefined && lastDeliveredMs - told.deliveredMs > lastDeliveredEveryMs
    telling = { trouble, deliveredMs: isNewsOfDelivery ? (lastDeliveredMs ?? 0) : told.deliveredMs }
    if (trouble === told.trouble && !isNewsOfDelivery) return undefined
    return {
      ...key,
      failingSince: trouble ? isoOf(trouble.sinceMs) : null,
      probeAt: trouble?.probeAtMs === undefined ? null : isoOf(trouble.probeAtMs),
      lastError: trouble?.reason ?? null,
      lastDeliveredAt: lastDeliveredMs === undefined ? null : isoOf(lastDeliveredMs),
    }
  }

  return {
    key,
    dispatch,
    want: (window: number): Want | undefined => (inFlight.isValid() ? queue.want(nowMs(), window) : undefined),
    take: ({ waiting, nextDueMs }: Found, asked: Want) => queue.take(waiting, asked, nextDueMs),
    wakeAtMs: queue.wakeAtMs,
    isIdle: () => queue.isIdle(nowMs() + idleAheadMs),
    /** There may be something new; where the endpoint was changed, what is not under way is read again. */
    notice: (updatedAt: string, read: () => Destination) => {
      if (updatedAt === destination.updatedAt) return queue.notice()
      const { url } = destination
      destination = read()
      queue.clear({ isElsewhere: destination.url !== url })
    },
    ...{ extend: inFlight.extend, abandon: inFlight.abandon, drain: inFlight.drain },
  }
}

type Attempt = { sent: Sent; verdict: Verdict; settled: Settled; startedAtMs: number }

function outcomeOf(key: WorkKey, delivery: Waiting, { sent, verdict, settled, startedAtMs }: Attempt): AttemptOutcome {
  const { outcome, headers } = sent
  const { state, nextAttemptMs, isExtra } = settled
  const isAnswered = outcome.kind === 'answered'
  return {
    organizationId: key.organizationId,
    endpointId: key.id,
    deliveryId: delivery.id,
    ...{ state, isExtra },
    nextAttemptAt: nextAttemptMs === undefined ? null : isoOf(nextAttemptMs),
    attemptedAt: isoOf(startedAtMs),
    requestHeaders: headers,
    status: isAnswered ? outcome.status : null,
    error: verdict.kind === 'delivered' ? null : verdict.reason,
    response: isAnswered ? storable(outcome.body.toString('utf8'), responseLength) : null,
    ...outcome.timings,
  }
}
