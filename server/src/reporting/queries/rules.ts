export type RunInterval = number

export const minInterval: RunInterval = 3_600
export const dailyInterval: RunInterval = 86_400
export const maxInterval: RunInterval = 30 * dailyInterval

export const nextRunAfter = (now: string, interval: RunInterval): string =>
  new Date(Date.parse(now) + interval * 1_000).toISOString()

const minRetryMs = 300_000

type Failing = {
  /** When the run before this one failed; null where it did not. */
  readonly failedAt: string | null
  /** By the schedule, which is never put off. */
  readonly nextRunAt: string
}

/**
 * When a query that failed now by a fault of the moment is tried again: in five minutes, then in twice as long as since
 * the failure before, so that one which is simply too slow soon runs by its schedule alone.
 */
export function retryAfter(now: string, { failedAt, nextRunAt }: Failing): string {
  const sinceFailureMs = failedAt === null ? 0 : Date.parse(now) - Date.parse(failedAt)
  const retryAt = Date.parse(now) + Math.max(minRetryMs, 2 * sinceFailureMs)
  return new Date(Math.min(retryAt, Date.parse(nextRunAt))).toISOString()
}
