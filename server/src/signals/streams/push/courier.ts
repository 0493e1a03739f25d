import type { IssuedEvent } from '../issue-tokens.ts'
import { backoffMs, endOfWaitMs } from './backoff-rules.ts'
import type { Verdict } from './judge-answer.ts'

/** A receiver that is not tried for some time, and after how many failures in a row. */
export type Hold = { failures: number; sinceMs: number; untilMs: number; reason: string }

/** What a courier asks of the ledger: `version` comes back with the answer. */
export type Want = { room: number; except: string[]; exceptDevices: string[]; version: number }

/** Events in memory of a stream whose receiver is in trouble, and devices among them that have failed. */
const heldWindow = 32
const maxSuspects = 16
/** Requests that a receiver is given at a time. */
const maxAtOnce = 8
/** Events sent of which the ledger does not know yet: what a death of this process, or of the database, sends again. */
const maxUnwritten = 128

type Held = Extract<Verdict, { kind: 'held' }>

type Line = {
  /** In the order of their delivery. */
  events: IssuedEvent[]
  isBusy: boolean
  /** Attempts in a row that failed while the receiver took, or may take, those of others. */
  failures: number
  probedAtMs: number
}

export type Courier = ReturnType<typeof openCourier>

/**
 * Decides what of one stream is sent when; knows neither database nor network. Events of a device go one after the
 * other. When an attempt fails the whole receiver is held and probed with one event at a time, of one device after
 * the other; as soon as one gets through, only the devices that failed continue waiting, each for itself.
 */
export function openCourier({ hold: inherited, random = Math.random }: { hold?: Hold; random?: () => number } = {}) {
  const lines = new Map<string, Line>()
  /** Lines that wait for themselves. Their events are left in the ledger until then. */
  const waiting = new Map<string, { failures: number; untilMs: number }>()
  /** Failures of lines that have waited, until their next attempt tells. */
  const retried = new Map<string, number>()
  const known = new Set<string>()
  let hold = inherited
  let sending = 0
  let unwritten = 0
  let acceptedAtMs = Number.NEGATIVE_INFINITY
  // Raised whenever events leave memory unsent: what was read of the ledger before has gaps.
  let version = 0
  let isLedgerEmpty = false

  function drop(name: string, keep: number): void {
    const line = lines.get(name)
    if (!line) return
    const dropped = line.events.splice(keep)
    for (const { id } of dropped) known.delete(id)
    if (line.events.length === 0) lines.delete(name)
    if (dropped.length > 0) {
      version += 1
      isLedgerEmpty = false
    }
  }

  /** What to read of the ledger so that `window` events are in memory, or undefined when nothing is wanted now. */
  function want(nowMs: number, window: number): Want | undefined {
    for (const [name, { failures, untilMs }] of waiting) {
      if (untilMs > nowMs) continue
      waiting.delete(name)
      retried.set(name, failures)
      isLedgerEmpty = false
    }
    const size = hold ? Math.min(heldWindow, window) : window
    const room = size - known.size
    if (isLedgerEmpty || room < size / 2) return undefined
    const names = [...waiting.keys(), ...(hold ? suspects() : [])]
    return {
      room,
      except: [...known, ...names.filter(isOwn).map(idOf)],
      exceptDevices: names.filter((name) => !isOwn(name)),
      version,
    }
  }

  const suspects = (): string[] => [...lines].filter(([, { failures }]) => failures > 0).map(([name]) => name)

  /** Takes in what the ledger had. */
  function take(events: readonly IssuedEvent[], asked: Want, nowMs: number): void {
    if (asked.version !== version) return
    for (const event of events) {
      const name = lineName(event)
      if (waiting.has(name) || known.has(event.id)) continue
      const heldUntilMs = event.heldUntil === null ? 0 : endOfWaitMs(Date.parse(event.heldUntil), nowMs)
      if (heldUntilMs > nowMs) waiting.set(name, { failures: event.attempts, untilMs: heldUntilMs })
      else add(name, event)
    }
    isLedgerEmpty = events.length < asked.room
    if (isLedgerEmpty) retried.clear()
  }

  function add(name: string, event: IssuedEvent): void {
    const failures = retried.get(name) ?? 0
    const line = lines.get(name) ?? { events: [], isBusy: false, failures, probedAtMs: 0 }
    retried.delete(name)
    line.events.push(event)
    lines.set(name, line)
    known.add(event.id)
  }

  /** The next event to send now; the caller sends it, and then calls `answered` and `written`. */
  function next(nowMs: number): IssuedEvent | undefined {
    const isHeld = hold !== undefined && hold.untilMs > nowMs
    if (isHeld || unwritten >= maxUnwritten || sending >= (hold ? 1 : maxAtOnce)) return undefined
    const free = lines.values().filter(({ isBusy }) => !isBusy)
    const line = hold ? maxUnprobed(free) : free.next().value
    if (!line) return undefined
    line.isBusy = true
    line.probedAtMs = nowMs
    sending += 1
    unwritten += 1
    return line.events[0]
  }

  /** The receiver answered, or did not. Returns until when the event itself waits, if it does. */
  function answered(event: IssuedEvent, verdict: Verdict, startedAtMs: number, nowMs: number): number | undefined {
    sending -= 1
    const name = lineName(event)
    const line = lines.get(name)
    if (verdict.kind !== 'held') {
      acceptedAtMs = nowMs
      waiting.delete(name)
      if (line) line.failures = 0
      if (hold) release(nowMs)
      return undefined
    }
    if (!line) return undefined
    line.failures += 1
    // The receiver has taken another one's event since this one was sent: this one is the trouble.
    if (!hold && acceptedAtMs >= startedAtMs) {
      const untilMs = nowMs + backoffMs(line.failures, verdict.retryAfterMs, random())
      waiting.set(name, { failures: line.failures, untilMs })
      return untilMs
    }
    holdAll(verdict, startedAtMs, nowMs)
    return undefined
  }

  function holdAll({ reason, retryAfterMs }: Held, startedAtMs: number, nowMs: number): void {
    // One that was under way when the receiver failed first says nothing new.
    if (hold && startedAtMs < hold.untilMs) return
    if (!hold) for (const [name, { isBusy }] of lines) if (!isBusy) drop(name, 0)
    const failures = (hold?.failures ?? 0) + 1
    const untilMs = nowMs + backoffMs(failures, retryAfterMs, random())
    hold = { failures, sinceMs: hold?.sinceMs ?? nowMs, untilMs, reason }
  }

  /** The receiver is back: those that failed meanwhile are tried again soon, each for itself. */
  function release(nowMs: number): void {
    hold = undefined
    // Of those that failed nothing was read meanwhile.
    isLedgerEmpty = false
    for (const [name, { failures, isBusy }] of lines) {
      if (failures === 0) continue
      waiting.set(name, { failures, untilMs: nowMs + backoffMs(1, 0, random()) })
      if (!isBusy) drop(name, 0)
    }
  }

  /** What became of the event is in the ledger: its line may continue. */
  function written(event: IssuedEvent, verdict: Verdict): void {
    unwritten -= 1
    const name = lineName(event)
    const line = lines.get(name)
    if (!line) return
    line.isBusy = false
    if (verdict.kind !== 'held') {
      line.events.shift()
      known.delete(event.id)
      if (line.events.length === 0) lines.delete(name)
      return
    }
    // Room for other devices, with which the receiver is probed.
    if (hold && suspects().length > maxSuspects) waiting.set(name, { failures: line.failures, untilMs: hold.untilMs })
    drop(name, waiting.has(name) ? 0 : 1)
  }

  return {
    want,
    take,
    next,
    answered,
    written,
    /** There may be something new in the ledger. */
    notice: () => {
      isLedgerEmpty = false
    },
    /** Forgets what has not been sent: the stream was changed. */
    clear: () => {
      for (const [name, line] of lines) drop(name, line.isBusy ? 1 : 0)
      version += 1
      isLedgerEmpty = false
    },
    /** When something has to be done although nobody calls, in the clock of `nowMs`; undefined when never. */
    wakeAtMs: (): number | undefined => {
      const times = [...waiting.values()].map(({ untilMs }) => untilMs)
      if (hold && lines.size > 0) times.push(hold.untilMs)
      return times.length === 0 ? undefined : Math.min(...times)
    },
    hold: () => hold,
    isIdle: () => isLedgerEmpty && known.size === 0 && waiting.size === 0,
  }
}

const maxUnprobed = (lines: Iterable<Line>): Line | undefined => {
  let chosen: Line | undefined
  for (const line of lines) if (!chosen || line.probedAtMs < chosen.probedAtMs) chosen = line
  return chosen
}

const ownPrefix = 'event:'
const isOwn = (name: string): boolean => name.startsWith(ownPrefix)
const idOf = (name: string): string => name.slice(ownPrefix.length)

/** Only what says how a device stands has an order; a test or news of the stream waits for nobody. */
const lineName = ({ kind, deviceId, id }: IssuedEvent): string =>
  kind === 'compliance_change' && deviceId !== null ? deviceId : ownPrefix + id
