const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** How long after one attempt the next is due, give or take a fifth: ten attempts over 75 hours and 35 minutes. */
export const webhookRetryDelaysMs = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
] as const
