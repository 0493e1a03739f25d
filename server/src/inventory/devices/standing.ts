import { sql } from 'kysely'

const staleAfterMs = 7 * 24 * 60 * 60_000

/** How a device stands: its state, unless nothing is known of it now. */
export type Standing = 'blocked' | 'will_block' | 'notified' | 'good' | 'stale' | 'never'

/** Of `devices` beside `device_presence as presence`. */
export const standingAt = (now: string) => sql<Standing>`case
  when presence.last_seen_at is null then 'never'
  when presence.last_seen_at < ${new Date(Date.parse(now) - staleAfterMs).toISOString()}::timestamptz then 'stale'
  else devices.auth_state end`
