import { minuteMs, plusMs } from '../../base/time.ts'

/** What is kept of the epochs of a key. */
export type Epochs = { epoch: string; previous_epoch: string | null; epoch_at: string }

/** A proof is made for at most a minute: the epoch before stays known for longer than that. */
const minLifeMs = 2 * minuteMs

/**
 * Whether an epoch is the current one of a key or the one before, whose successor may not have arrived. Each is random and
 * handed out once, so of two machines that hold a copy of one key one is noticed as soon as both have checked in.
 */
export const isKnownEpoch = ({ epoch, previous_epoch: previous }: Epochs, presented: string | null): boolean =>
  presented === epoch || presented === previous

/** Of a key that was linked once, what tells its companion from one that has a copy of it. */
export type Standing = Epochs & { linked_at: string | null; living_device_id: string | null }

/** Whether a check-in is of a second companion with the key. A key without a device has nothing to contend for. */
export const isOfRival = (key: Standing, presented: string | null): boolean =>
  key.linked_at !== null && key.living_device_id !== null && !isKnownEpoch(key, presented)

/** So long the proofs of two companions with one key both count, while a link check tells which one is on the device. */
export const contestMs = 15 * minuteMs

type Contest = Epochs & { seen_twice_at: string | null; contest_ends_at: string | null }

/**
 * Whether a proof with this epoch counts. The first time that a key is seen twice nobody can tell which companion is the
 * right one, so both count until the contest is decided or over. Once decided, only the companion that was confirmed does.
 */
export function isEpochAccepted(key: Contest, presented: string | null, now: string): boolean {
  if (key.contest_ends_at !== null) return now < key.contest_ends_at
  return key.seen_twice_at === null || isKnownEpoch(key, presented)
}

/** When the contest of a key ends that is seen twice for the first time. */
export const contestEnd = (now: string): string => plusMs(now, contestMs)

/** The epoch that a check-in is answered with, when its time has come: undefined where the current one stays. */
export function nextEpoch(epochs: Epochs, presented: string | null, now: string, random: () => string) {
  const { epoch, previous_epoch: previous, epoch_at: since } = epochs
  if (presented === epoch && Date.parse(now) - Date.parse(since) < minLifeMs) return undefined
  // The answer with the current one was lost, or somebody else got it: the presented one stays known.
  const known = presented !== null && presented === previous ? previous : epoch
  return { epoch: random(), previous_epoch: known, epoch_at: now }
}
