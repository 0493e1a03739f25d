import { createECDH, createHash } from 'node:crypto'
import type { Secrets } from '../../base/secrets/secrets.ts'

/** A P-256 key (RFC 7518 §6.2) with its thumbprint. */
type EcJwk = { kty: 'EC'; crv: 'P-256'; x: string; y: string; kid: string; alg: 'ES256'; use: 'sig' }
export type ChallengeKey = { publicJwk: EcJwk; privateJwk: EcJwk & { d: string } }

const coordinateBytes = 32

/**
 * The key that signs an organization's challenges. It is derived from the master key, so that every process has it
 * without a table, and changes with the master key; companions fetch the public half at each contact.
 */
export function challengeKey(secrets: Secrets, organizationId: string): ChallengeKey {
  const ecdh = createECDH('prime256v1')
  for (let attempt = 0; ; attempt += 1) {
    const scalar = secrets.sign('sign-in challenge key', `${organizationId}/${attempt}`).subarray(0, coordinateBytes)
    try {
      ecdh.setPrivateKey(scalar)
    } catch {
      // Not below the order of the curve, which happens to one in four billion.
      continue
    }
    const point = ecdh.getPublicKey()
    const x = point.subarray(1, 1 + coordinateBytes).toString('base64url')
    const y = point.subarray(1 + coordinateBytes).toString('base64url')
    const publicJwk = { kty: 'EC', crv: 'P-256', x, y, kid: thumbprint(x, y), alg: 'ES256', use: 'sig' } as const
    return { publicJwk, privateJwk: { ...publicJwk, d: scalar.toString('base64url') } }
  }
}

/** RFC 7638 §3.1. */
const thumbprint = (x: string, y: string): string =>
  createHash('sha256').update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest('base64url')
