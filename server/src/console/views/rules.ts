import { hourMs } from '../../base/time.ts'

const spanMs = { '24h': 24 * hourMs, '7d': 7 * 24 * hourMs, '30d': 30 * 24 * hourMs } as const

/** The moment that a span before now begins at. */
export const beginOf = (span: keyof typeof spanMs, now: string): string =>
  new Date(Date.parse(now) - spanMs[span]).toISOString()
