import { hourMs, minuteMs } from '../../base/time.ts'

/** What is kept of the epochs of a key. */
export type Epochs = { epoch: string; previous_epoch: string | null; epoch_at: string; is_epoch_used: boolean }

export type EpochVerdict = 'keep' | 'renew' | 'spent'

/** A proof is made for at most a minute: the epoch before stays good for longer than that. */
const minLifeMs = 2 * minuteMs
const idleLifeMs = hourMs

/**
 * What becomes of the epoch that a companion presents at a contact. Every epoch is handed to one contact and is random, so
 * two machines that hold a copy of one key are told apart as soon as both have renewed it: the epoch of one is spent.
 */
export function judgeContact(epochs: Epochs, presented: string | null, now: string): EpochVerdict {
  // Its answer with the current epoch was lost, or somebody else got it.
  if (presented !== null && presented === epochs.previous_epoch) return 'renew'
  if (presented === null) return epochs.previous_epoch === null && !epochs.is_epoch_used ? 'keep' : 'spent'
  if (presented !== epochs.epoch) return 'spent'
  const ageMs = Date.parse(now) - Date.parse(epochs.epoch_at)
  return ageMs >= (epochs.is_epoch_used ? minLifeMs : idleLifeMs) ? 'renew' : 'keep'
}

/** Whether a proof may carry this epoch: the current one, or the one before, which outlives the proofs made with it. */
export const isGoodInProof = ({ epoch, previous_epoch }: Epochs, presented: string): boolean =>
  presented === epoch || presented === previous_epoch
