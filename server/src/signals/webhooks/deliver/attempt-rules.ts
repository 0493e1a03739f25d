import { webhookRetryDelaysMs } from '@muster/contract/webhook-retries.ts'

const jitter = 0.2

/**
 * How long to wait after so many attempts, give or take a fifth; undefined when that was the last. `random` is within
 * [0, 1).
 */
export function delayMs(attempts: number, random: number): number | undefined {
  const delay = webhookRetryDelaysMs[attempts - 1]
  return delay === undefined ? undefined : delay * (1 + jitter * (2 * random - 1))
}

const minProbeMs = 2_000
const probeShare = 0.15

/**
 * How long to leave an endpoint alone that has not been reached for `downMs`: a share of it, so that whatever comes
 * back has what waits for it soon, and whatever stays away is asked less and less.
 */
export const probeDelayMs = (downMs: number): number => Math.max(minProbeMs, downMs * probeShare)
