import type { KeyPurpose } from '../base/db/schema.ts'
import { dayMs } from '../base/time.ts'

/** How long receivers may keep the published keys, in seconds. */
export const publishedKeysMaxAgeSeconds = 3_600

type Rules = {
  algorithm: 'RS256' | 'ES256'
  /** A new key is published this long before its first use, so that every verifier has fetched it twice over. */
  leadMs: number
  /** An old one stays published this long, longer than anything that it signed may still be on its way. */
  keptMs: number
  /** Whether verifiers read it from a certificate. */
  isCertified: boolean
}

const fetchedHourly = 2 * publishedKeysMaxAgeSeconds * 1_000

export const keyPurposes = {
  signals: { algorithm: 'RS256', leadMs: fetchedHourly, keptMs: 31 * dayMs, isCertified: false },
  // Companions fetch them every five minutes; a challenge is good for one.
  challenge: { algorithm: 'ES256', leadMs: 15 * 60_000, keptMs: 3_600_000, isCertified: false },
  oidc: { algorithm: 'RS256', leadMs: fetchedHourly, keptMs: dayMs, isCertified: false },
  // Microsoft Entra keeps keys for a day, and reads them from certificates.
  entra: { algorithm: 'RS256', leadMs: 2 * dayMs, keptMs: dayMs, isCertified: true },
} as const satisfies Record<KeyPurpose, Rules>

export const keyPurposeNames = Object.keys(keyPurposes) as KeyPurpose[]

/** The keys of an organization for one purpose; a key has one purpose, and nothing else is signed with it. */
export type KeyRing<Purpose extends KeyPurpose = KeyPurpose> = { organizationId: string; purpose: Purpose }

/** RFC 7518 §6.3 and §6.2, with what RFC 7517 §4 adds. */
type RsaKey = { kty: 'RSA'; kid: string; use: 'sig'; alg: 'RS256'; n: string; e: string; x5t?: string; x5c?: string[] }
type EcKey = { kty: 'EC'; kid: string; use: 'sig'; alg: 'ES256'; crv: 'P-256'; x: string; y: string }

/** A public key as its set shows it. */
export type PublishedKey<Purpose extends KeyPurpose = KeyPurpose> =
  (typeof keyPurposes)[Purpose]['algorithm'] extends 'ES256' ? EcKey : RsaKey
