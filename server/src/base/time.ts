export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The moment `durationMs` later, or earlier when it is negative; both moments are ISO 8601 UTC with milliseconds. */
export const plusMs = (moment: string, durationMs: number): string =>
  new Date(Date.parse(moment) + durationMs).toISOString()

/** A moment with its fraction of a second left out: `2026-11-20T09:14:03Z`. */
export const wholeSecond = (moment: string): string => moment.replace(/\.\d+Z$/, 'Z')

/** How far the clocks of two processes may differ. What is later than that was written while a clock was wrong. */
export const clockToleranceMs = 60_000

/** Whether what is good for `lifetimeMs` and ends then is good now. One that ends too late was made while the clock was ahead. */
export const isGoodNow = (endsAtMs: number, lifetimeMs: number, nowMs: number): boolean =>
  endsAtMs > nowMs && endsAtMs <= nowMs + lifetimeMs + clockToleranceMs
