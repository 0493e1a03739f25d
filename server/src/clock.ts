/** Tells the time as ISO 8601 UTC with milliseconds. Logic takes `now` as text; only compositions hold a clock. */
export type Clock = () => string

export const systemClock: Clock = () => new Date().toISOString()
