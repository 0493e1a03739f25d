import type { DeviceState } from './device-registry.ts'
import { queriesPerRead } from './due-rules.ts'

/**
 * What a device was handed and has not brought back. osquery reads, runs what it has read in the order of the names, and
 * writes one body for all. Its answers are in memory until then: when its watchdog ends the process, the answers so far are
 * gone, the query that ran is refused for a day, and only those after it are still on its disk. It reads again without
 * having written, which is how a loss shows.
 */
export type ReadUnderWay = {
  /** When the last of it was handed out, in milliseconds since the epoch. */
  atMs: number
  /** By key, when each was handed out that no write has brought back, in milliseconds since the epoch. */
  open: Map<string, number>
  /** How many there were. */
  size: number
  /** Whether a write has brought some of them, so that the others are lost. */
  isPartlyAnswered: boolean
  /** How often in a row the device has read again without an answer to anything. */
  losses: number
  /** Of queries that were lost: how many the next read that has them may have, and when they were lost. */
  most: Map<string, { count: number; lostAtMs: number }>
}

/** A device whose read was lost on the way asks again within 16 s and the pauses of three attempts. */
const lostMs = 30_000
/** A device whose writes never arrive, behind a proxy that refuses them, is not asked more often than this. */
const maxLostMs = 300_000

const isLost = ({ open, atMs, isPartlyAnswered, losses }: ReadUnderWay, nowMs: number): boolean =>
  open.size > 0 && (isPartlyAnswered || nowMs - atMs >= Math.min(maxLostMs, lostMs * 2 ** losses))

/** Whether there is nothing to ask a device at `nowMs`. */
export const isIdle = ({ nextDueAtMs, underWay }: DeviceState, nowMs: number): boolean =>
  nowMs < nextDueAtMs && !(underWay && isLost(underWay, nowMs))

/** Remembers what a device was handed. */
export function noteRead(device: DeviceState, keys: readonly string[], nowMs: number): void {
  if (keys.length === 0) return
  const before = device.underWay
  const open = new Map([...(before?.open ?? []), ...keys.map((key) => [key, nowMs] as const)])
  const { losses = 0, most = new Map() } = before ?? {}
  device.underWay = { atMs: nowMs, open, size: open.size, isPartlyAnswered: false, losses, most }
}

/** Remembers what a write has brought back, whatever it says. */
export function noteAnswered(device: DeviceState, keys: Iterable<string>): void {
  const { underWay } = device
  if (!underWay) return
  for (const key of keys) {
    underWay.most.delete(key)
    if (!underWay.open.delete(key)) continue
    underWay.losses = 0
    underWay.isPartlyAnswered = true
  }
  if (underWay.open.size === 0 && underWay.most.size === 0) device.underWay = undefined
}

/** Leaves out what another process has taken in, as the database says. */
export function noteTaken(device: DeviceState, isTaken: (key: string, askedAtMs: number) => boolean): void {
  const { underWay } = device
  if (!underWay) return
  for (const [key, askedAtMs] of underWay.open) if (isTaken(key, askedAtMs)) underWay.open.delete(key)
  for (const [key, { lostAtMs }] of underWay.most) if (isTaken(key, lostAtMs)) underWay.most.delete(key)
  if (underWay.open.size === 0 && underWay.most.size === 0) device.underWay = undefined
}

/** Remembers that a write has lost its end: what it has not brought is not to come. */
export function noteCut({ underWay }: DeviceState): void {
  if (underWay) underWay.isPartlyAnswered = true
}

/**
 * Judges a read of a device that was handed something before. What is lost may be asked again, in reads of half the size;
 * one that was alone waits as long as any query without an answer. Returns what the read tells: `rest`, that the
 * device runs what is left on its disk, which may have another query that ends it, before it is asked anything.
 */
export function takeLoss(device: DeviceState, nowMs: number): 'none' | 'lost' | 'rest' {
  const { underWay } = device
  if (!underWay || !isLost(underWay, nowMs)) return 'none'
  const { open, size, isPartlyAnswered, most } = underWay
  for (const key of open.keys()) {
    const count = Math.min(most.get(key)?.count ?? queriesPerRead, Math.max(1, Math.floor(size / 2)))
    most.set(key, { count, lostAtMs: nowMs })
    if (size > 1) device.unanswered?.delete(key)
  }
  open.clear()
  underWay.losses += 1
  return size > 1 && !isPartlyAnswered ? 'rest' : 'lost'
}

/** Of what is due, in its order, as many as may be in one read. Those that are lost less often go before the others. */
export function chooseForRead<Query>(
  { underWay }: DeviceState,
  due: readonly Query[],
  keyOf: (query: Query) => string,
  goesAlone: (query: Query) => boolean = () => false,
): Query[] {
  const mostOf = (query: Query) => (goesAlone(query) ? 1 : (underWay?.most.get(keyOf(query))?.count ?? queriesPerRead))
  const most = due.reduce((greatest, query) => Math.max(greatest, mostOf(query)), 0)
  return due.filter((query) => mostOf(query) === most).slice(0, most)
}
