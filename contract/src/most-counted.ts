/** The most that the console counts of anything. */
export const mostCounted = 10_000
