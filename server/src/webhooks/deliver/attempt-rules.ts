const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** Between one attempt and the next: ten attempts over 75 hours and 35 minutes. */
const delaysMs = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
]
const jitter = 0.2

/**
 * How long to wait after so many attempts, give or take a fifth; undefined when that was the last. `random` is within
 * [0, 1).
 */
export function delayMs(attempts: number, random: number): number | undefined {
  const delay = delaysMs[attempts - 1]
  return delay === undefined ? undefined : delay * (1 + jitter * (2 * random - 1))
}

const leastProbeMs = 2_000
const probeShare = 0.15

/**
 * How long to leave an endpoint alone that has not been reached for `downMs`: a share of it, so that whatever comes
 * back has what waits for it soon, and whatever stays away is asked less and less.
 */
export const probeDelayMs = (downMs: number): number => Math.max(leastProbeMs, downMs * probeShare)
