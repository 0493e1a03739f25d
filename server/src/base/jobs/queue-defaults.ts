import type { Queue } from 'pg-boss'

export const jobsSchema = 'pgboss'

/**
 * A job is tried again over about ten minutes, then kept as failed for a week; a finished one is kept a day. One whose
 * process has given no sign of life for `heartbeatSeconds` is tried again, too.
 */
export const queueDefaults = {
  policy: 'standard',
  retryLimit: 6,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 300,
  expireInSeconds: 900,
  heartbeatSeconds: 15,
  retentionSeconds: 7 * 86_400,
  deleteAfterSeconds: 86_400,
  notify: true,
} satisfies Omit<Queue, 'name'>
