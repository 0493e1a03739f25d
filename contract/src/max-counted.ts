/** The most that the console counts of anything. */
export const maxCounted = 10_000
