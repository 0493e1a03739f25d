import type { Pace } from './reading.ts'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** The framework ends every request after 60 s. */
export const paces = {
  known: { graceMs: 10_000, minBytesPerSecond: 4 * kibibyte, maxMs: 60_000 },
  stranger: { graceMs: 5_000, minBytesPerSecond: 16 * kibibyte, maxMs: 10_000 },
} satisfies Record<string, Pace>

/** How fast the bodies of one network are read for which nobody vouches, however many it sends. */
export const strangerRate = { bytesPerSecond: 4 * mebibyte, burstBytes: 1 * mebibyte, tickMs: 50 }
