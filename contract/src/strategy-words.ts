export const strategyWords = {
  report_only: 'Report only',
  notify_only: 'Notify only',
  warn_then_block: 'Warn, then block',
  block_immediately: 'Block immediately',
} as const
