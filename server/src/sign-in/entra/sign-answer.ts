import { SignJWT } from 'jose'
import type { HeldKeys } from '../../keys/held-keys.ts'

/** How long an answer may be on its way. */
const validSeconds = 300

export type AnswerToken = {
  issuer: string
  audience: string
  subject: string
  nonce: string
  /** When the sign-in succeeded. */
  issuedAt: string
  claims: { acr: string; amr: [string] }
}

/** Signs with the key that signs at this moment (RFC 7519, RS256): one that was withdrawn just now does no more. What it returns is ready before the sign-in is committed. */
export async function openSigner(keys: HeldKeys, organizationId: string, now: string) {
  const { kid, privateKey } = await keys.signing({ organizationId, purpose: 'entra' }, now, true)
  return ({ issuer, audience, subject, nonce, issuedAt, claims }: AnswerToken): Promise<string> => {
    const at = Math.floor(Date.parse(issuedAt) / 1000)
    return new SignJWT({ ...claims, nonce })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt(at)
      .setExpirationTime(at + validSeconds)
      .sign(privateKey)
  }
}
