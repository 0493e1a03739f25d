/** Tells the time as ISO 8601 UTC with milliseconds. Logic takes `now` as text; only compositions hold a clock. */
export type Clock = () => string

export const systemClock: Clock = () => new Date().toISOString()

/** The moment in milliseconds, for those who ask often: a date is not made where the system's own can be read. */
export const nowMsBy = (clock: Clock): (() => number) =>
  clock === systemClock ? () => Date.now() : () => Date.parse(clock())
