import { paces, strangerRate } from '../../../base/bodies/paces.ts'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

export type BodyLimits = typeof bodyLimits
export type ShareName = keyof BodyLimits['shares']

/** The memory of all bodies of agents in one process, and their time. */
export const bodyLimits = {
  shares: {
    /**
     * Devices whose node key is in the header, and companions whose signature is. A party is a device, which may send results
     * and logs at a time, or the key of a companion.
     */
    header: { maxBytes: 112 * mebibyte, maxPartyBytes: 34 * mebibyte },
    /** Devices whose node key is in the body, and bodies for which a device or its network vouches. */
    body: { maxBytes: 56 * mebibyte, maxPartyBytes: 34 * mebibyte },
    /** Bodies in which no node key is found yet. A party is a network. */
    stranger: { maxBytes: 16 * mebibyte, maxPartyBytes: 8 * mebibyte },
    /** A party is a network. */
    enrollment: { maxBytes: 8 * mebibyte, maxPartyBytes: 4 * mebibyte },
  },
  knownPace: paces.known,
  /** Of a body that its network vouches for. */
  vouchedPace: { graceMs: 5_000, minBytesPerSecond: 16 * kibibyte, maxMs: 30_000 },
  strangerPace: paces.stranger,
  strangerRate,
  /** The longest body whose node key is found only at its end, where nothing vouches for its sender. */
  maxStrangerBytes: 1 * mebibyte,
  /** The longest body without compression that is parsed to find its node key. */
  maxParsedBytes: 64 * kibibyte,
}
