import type { Logger } from 'pino'
import type { BatchWriter } from '../../../base/jobs/batch-writer.ts'
import { trackInFlight } from '../../../base/jobs/in-flight.ts'
import type { WorkKey } from '../../../base/jobs/leases.ts'
import type { Outbound, PostOutcome } from '../../../base/outbound/outbound.ts'
import type { IssuedEvent } from '../issue-tokens.ts'
import { kidOf } from '../token-header.ts'
import { endOfWaitMs } from './backoff-rules.ts'
import { type Hold, openCourier, type Want } from './courier.ts'
import { judgeAnswer, type Verdict } from './judge-answer.ts'
import type { LeasedStream } from './list-receivers.ts'
import { type Destination, sendEvent } from './send-event.ts'
import type { Outcome, Standing } from './write-outcomes.ts'

export type Written = { outcome: Outcome; standing: () => Standing }

export type DeliveryParts = {
  outbound: Outbound
  writer: BatchWriter<Written>
  log: Logger
  nowMs: () => number
  /** Called when there may be something to read of the ledger. */
  wake: () => void
}

export type Delivery = ReturnType<typeof openDelivery>

/** The delivery of one stream by this process, for as long as it holds the lease. */
export function openDelivery(
  parts: DeliveryParts,
  leased: LeasedStream,
  first: Destination,
  firstValidUntilMs: number,
) {
  const { outbound, writer, log, nowMs, wake } = parts
  const { organizationId, id: streamId } = leased
  const key: WorkKey = { organizationId, id: streamId }
  const names = { organization_id: organizationId, stream_id: streamId }
  const courier = openCourier(inheritedHold(leased, nowMs()))
  const inFlight = trackInFlight(firstValidUntilMs)
  let destination = first
  let lastDeliveredAt: string | null = null

  function dispatch(): void {
    inFlight.begin(() => {
      const event = courier.next(nowMs())
      return event && send(event)
    })
  }

  async function send(event: IssuedEvent): Promise<void> {
    const startedAtMs = nowMs()
    const answer = await sendEvent(outbound, destination, event, inFlight.signal)
    // We cut it: the next process that delivers the stream sends it again, the same bytes.
    if (answer.kind === 'failed' && inFlight.signal.aborted) return
    const verdict = judgeAnswer(answer, nowMs())
    const before = courier.hold()
    const heldUntilMs = courier.answered(event, verdict, startedAtMs, nowMs())
    tellOfHold(before, courier.hold())
    if (verdict.kind === 'accepted') lastDeliveredAt = isoOf(nowMs())
    dispatch()
    const outcome = outcomeOf(event, verdict, answer, startedAtMs, heldUntilMs)
    try {
      await writer.write({ outcome, standing })
    } catch {
      return
    }
    courier.written(event, verdict)
    dispatch()
    wake()
  }

  function tellOfHold(before: Hold | undefined, after: Hold | undefined): void {
    if (!before && after) log.warn({ ...names, reason: after.reason }, 'The receiver of a stream is failing')
    if (before && !after) log.info(names, 'The receiver of a stream has recovered')
  }

  const standing = (): Standing => {
    const hold = courier.hold()
    return {
      organizationId,
      streamId,
      heldUntil: hold ? isoOf(hold.untilMs) : null,
      failures: hold?.failures ?? 0,
      failingSince: hold ? isoOf(hold.sinceMs) : null,
      lastError: hold?.reason ?? null,
      lastDeliveredAt,
    }
  }

  return {
    key,
    dispatch,
    want: (window: number): Want | undefined => (inFlight.isValid() ? courier.want(nowMs(), window) : undefined),
    take: (events: readonly IssuedEvent[], asked: Want) => courier.take(events, asked, nowMs()),
    wakeAtMs: courier.wakeAtMs,
    isIdle: courier.isIdle,
    /** There may be something new; where the stream was changed, what is not under way is read again. */
    notice: (to: Destination) => {
      if (to.updatedAt === destination.updatedAt) courier.notice()
      else courier.clear()
      destination = to
    },
    ...{ extend: inFlight.extend, abandon: inFlight.abandon, drain: inFlight.drain },
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()

function inheritedHold(leased: LeasedStream, nowMs: number): { hold?: Hold } {
  const { heldUntil, failures, failingSince, lastError } = leased
  if (heldUntil === null || failingSince === null) return {}
  const [untilMs, sinceMs] = [endOfWaitMs(Date.parse(heldUntil), nowMs), Date.parse(failingSince)]
  return { hold: { failures, sinceMs, untilMs, reason: lastError ?? '' } }
}

const stateOf = { accepted: 'delivered', rejected: 'rejected', held: 'pending' } as const

function outcomeOf(
  event: IssuedEvent,
  verdict: Verdict,
  answer: PostOutcome,
  startedAtMs: number,
  heldUntilMs: number | undefined,
): Outcome {
  const { organizationId, streamId, id } = event
  const rejection = verdict.kind === 'rejected' ? verdict : undefined
  return {
    organizationId,
    streamId,
    eventId: id,
    state: stateOf[verdict.kind],
    heldUntil: heldUntilMs === undefined ? null : isoOf(heldUntilMs),
    errorCode: rejection?.err ?? null,
    errorDescription: rejection?.description ?? null,
    attemptedAt: isoOf(startedAtMs),
    durationMs: Math.round(answer.timings.totalMs),
    status: answer.kind === 'answered' ? answer.status : null,
    error: verdict.kind === 'held' ? verdict.reason : null,
    rejectedKid: rejection ? kidOf(event.token) : null,
  }
}
