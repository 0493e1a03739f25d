const dayMs = 86_400_000

/** How long what is kept that is not kept for good: the only list, for those who remove it and for those who say so. */
export const keptMs = {
  /** Events of changes, after they happened. */
  events: 30 * dayMs,
  /** More than a year, so that the same weeks of two years can be compared. */
  authLogs: 400 * dayMs,
  /** After a live query last ran. */
  liveResults: 90 * dayMs,
  /** Ledgers of streams, after an event was settled. */
  settledSignals: 90 * dayMs,
  /** Logs of webhooks, after a delivery was settled. */
  settledDeliveries: 180 * dayMs,
  /** Figures of days, so that a year can be compared with the one before. */
  complianceDays: 400 * dayMs,
  /** Sessions and links of administrators, after they ended. */
  adminSessions: 30 * dayMs,
} as const
