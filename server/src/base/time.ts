export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The moment `durationMs` later, or earlier when it is negative; both moments are ISO 8601 UTC with milliseconds. */
export const plusMs = (moment: string, durationMs: number): string =>
  new Date(Date.parse(moment) + durationMs).toISOString()
