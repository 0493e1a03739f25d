/** What an organization chooses how long to keep, in days: what is usual, and what may be chosen. */
export const retention = {
  auth_logs: { title: 'Sign-in log', usual: 400, least: 30, most: 3_650 },
  // Devices have seven days to answer.
  live_results: { title: 'Answers to live queries', usual: 90, least: 14, most: 3_650 },
  settled_signals: { title: 'Ledger of streams', usual: 90, least: 7, most: 3_650 },
  // Longer than all attempts of a delivery take.
  settled_deliveries: { title: 'Log of webhooks', usual: 180, least: 7, most: 3_650 },
} as const
export type Retained = keyof typeof retention
