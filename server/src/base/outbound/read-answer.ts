import { hourMs } from '../time.ts'

const maxRetryAfterMs = hourMs

/** How long a receiver asks to be left alone: seconds or a date (RFC 9110 §10.2.3); an hour at most. */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - nowMs
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxRetryAfterMs) : 0
}
