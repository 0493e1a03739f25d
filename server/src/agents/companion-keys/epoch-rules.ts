import { minuteMs } from '../../base/time.ts'

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

/** The epoch that a check-in is answered with, when its time has come: undefined where the current one stays. */
export function nextEpoch(epochs: Epochs, presented: string | null, now: string, random: () => string) {
  const { epoch, previous_epoch: previous, epoch_at: since } = epochs
  if (presented === epoch && Date.parse(now) - Date.parse(since) < minLifeMs) return undefined
  // The answer with the current one was lost, or somebody else got it: the presented one stays known.
  const known = presented !== null && presented === previous ? previous : epoch
  return { epoch: random(), previous_epoch: known, epoch_at: now }
}
