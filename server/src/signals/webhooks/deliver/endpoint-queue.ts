import { delayMs, probeDelayMs } from './attempt-rules.ts'
import type { Verdict } from './judge-attempt.ts'

/** A delivery that waits. Of a device whose messages have an order, the first one that does. */
export type Waiting = {
  id: string
  messageId: string
  body: string
  event: string
  /** Whether others of its device wait for it. */
  isOrdered: boolean
  attempts: number
  extraAttempts: number
  nextAttemptMs: number
}

/** What to read: what is due, or everything from a place on, due or not. */
export type Want = { room: number; except: string[]; after: string | undefined }

/** How the endpoint stands. */
export type Trouble = {
  sinceMs: number
  reason: string
  /** Set while the endpoint cannot be reached, as opposed to refusing what it gets. */
  probeAtMs: number | undefined
}

/** What became of a delivery by one attempt. */
export type Settled =
  | { state: 'delivered' | 'failed'; nextAttemptMs: undefined; isExtra: boolean }
  | { state: 'pending'; nextAttemptMs: number; isExtra: boolean }

/** Requests that an endpoint is given at a time. */
const maxAtOnce = 8
/** Sent without the log knowing what came of it: what a death of this process, or of the database, sends again. */
const maxUnwritten = 128
const firstPlace = '0'

/**
 * Decides what one endpoint is sent next. Each delivery has a schedule of its own. An endpoint that cannot be reached
 * gets one request at a time, and is probed with the oldest delivery while none is due; once it is back, all that
 * waits is tried at once. Attempts ahead of their time do not use up the schedule.
 */
export function openQueue(inherited: Trouble | undefined, random: () => number) {
  let trouble = inherited
  let ready: Waiting[] = []
  /** Sent, and not yet in the log. */
  const busy = new Map<string, Waiting>()
  let sending = 0
  /** Everything behind this place is tried without waiting for its time. */
  let eagerAfter: string | undefined
  let isDueEmpty = false
  let nextDueMs: number | undefined
  let pausedUntilMs = 0
  let deliveredAtMs = Number.NEGATIVE_INFINITY

  const isDown = () => trouble?.probeAtMs !== undefined
  const isProbeDue = (nowMs: number) => trouble?.probeAtMs !== undefined && trouble.probeAtMs <= nowMs

  function want(nowMs: number, window: number): Want | undefined {
    if (nextDueMs !== undefined && nextDueMs <= nowMs) isDueEmpty = false
    const room = window - ready.length - busy.size
    // Half at a time: a reading looks at all that is held once more.
    if (room < window / 2 || pausedUntilMs > nowMs) return undefined
    const except = [...ready.map(({ id }) => id), ...busy.keys()]
    if (eagerAfter !== undefined) return { room, except, after: eagerAfter }
    if (!isDueEmpty) return { room, except, after: undefined }
    if (isProbeDue(nowMs) && ready.length + busy.size === 0) return { room: 1, except, after: firstPlace }
    return undefined
  }

  /** What was read for `asked`; `dueNextMs` is when something else is due, as far as that is known. */
  function take(deliveries: readonly Waiting[], asked: Want, dueNextMs: number | undefined): void {
    const known = new Set([...ready.map(({ id }) => id), ...busy.keys()])
    ready.push(...deliveries.filter(({ id }) => !known.has(id)))
    const isAll = deliveries.length < asked.room
    if (asked.after === undefined) {
      isDueEmpty = isAll
      nextDueMs = dueNextMs
    } else if (eagerAfter !== undefined) {
      eagerAfter = isAll ? undefined : deliveries.at(-1)?.id
      if (isAll) isDueEmpty = false
    } else if (trouble && deliveries.length === 0) {
      // Nothing waits: there is nothing to be probed for.
      trouble = { ...trouble, probeAtMs: undefined }
    }
  }

  /** The next to send now; the caller then calls `answered` and `written`. */
  function next(nowMs: number): Waiting | undefined {
    const isFull = busy.size >= maxUnwritten || sending >= (isDown() ? 1 : maxAtOnce)
    const delivery = isFull || pausedUntilMs > nowMs ? undefined : ready.shift()
    if (!delivery) return undefined
    busy.set(delivery.id, delivery)
    sending += 1
    return delivery
  }

  function answered(delivery: Waiting, verdict: Verdict, startedAtMs: number, nowMs: number): Settled {
    sending -= 1
    const isExtra = delivery.nextAttemptMs > startedAtMs
    if (verdict.kind === 'delivered') {
      deliveredAtMs = nowMs
      if (isDown()) retryNow()
      trouble = undefined
      return { state: 'delivered', nextAttemptMs: undefined, isExtra }
    }
    // One that took another request since this one was sent is not in trouble.
    if (deliveredAtMs < startedAtMs) suffer(verdict, nowMs)
    if (verdict.kind === 'gone') return { state: 'failed', nextAttemptMs: undefined, isExtra }
    pausedUntilMs = Math.max(pausedUntilMs, nowMs + verdict.retryAfterMs)
    const waitMs = isExtra
      ? delivery.nextAttemptMs - nowMs
      : delayMs(delivery.attempts - delivery.extraAttempts + 1, random())
    if (waitMs === undefined) return { state: 'failed', nextAttemptMs: undefined, isExtra }
    return { state: 'pending', nextAttemptMs: nowMs + Math.max(waitMs, verdict.retryAfterMs), isExtra }
  }

  function suffer(verdict: Exclude<Verdict, { kind: 'delivered' }>, nowMs: number): void {
    const sinceMs = trouble?.sinceMs ?? nowMs
    const isUnreachable = verdict.kind === 'failed' && verdict.isDown
    const probeAtMs = isUnreachable ? nowMs + probeDelayMs(nowMs - sinceMs) : undefined
    trouble = { sinceMs, reason: verdict.reason, probeAtMs }
    eagerAfter = undefined
    if (isUnreachable) leaveUntilDue(nowMs)
  }

  /** What was read ahead of its time waits for it again. */
  function leaveUntilDue(nowMs: number): void {
    const due = ready.filter(({ nextAttemptMs }) => nextAttemptMs <= nowMs)
    if (due.length < ready.length) isDueEmpty = false
    ready = due
  }

  /** What became of it is in the log; another of its device may be free to go. */
  function written(delivery: Waiting, { nextAttemptMs }: Settled): void {
    busy.delete(delivery.id)
    if (delivery.isOrdered) isDueEmpty = false
    if (nextAttemptMs !== undefined) nextDueMs = Math.min(nextDueMs ?? Number.POSITIVE_INFINITY, nextAttemptMs)
  }

  function retryNow(): void {
    eagerAfter = firstPlace
  }

  function wakeAtMs(): number | undefined {
    const times = [nextDueMs, trouble?.probeAtMs].filter((time) => time !== undefined)
    return times.length === 0 ? undefined : Math.max(Math.min(...times), pausedUntilMs)
  }

  return {
    ...{ want, take, next, answered, written, wakeAtMs },
    trouble: () => trouble,
    /** There may be something new. */
    notice: () => {
      isDueEmpty = false
    },
    /** All that waits is tried without waiting for its time. */
    retryNow,
    /** The endpoint was changed, which may have mended it: what is not under way is read again, and tried at once. */
    clear: ({ isElsewhere }: { isElsewhere: boolean }) => {
      if (isElsewhere) trouble = undefined
      ready = []
      pausedUntilMs = 0
      isDueEmpty = false
      retryNow()
    },
    /** There is nothing to do before `untilMs`. */
    isIdle: (untilMs: number): boolean =>
      isDueEmpty && eagerAfter === undefined && ready.length + busy.size === 0 && (wakeAtMs() ?? untilMs) >= untilMs,
  }
}
