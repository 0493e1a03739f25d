import { createHash, createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { unsealPrivateKey } from '../../keys/seal-private-key.ts'
import { findSigningKey, type KeyRing, listRing } from '../../keys/signing-keys.ts'

type Parts = { db: Db; secrets: Secrets }

const ringOf = (organizationId: string): KeyRing => ({ organizationId, purpose: 'entra' })

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

/** Signs with the key that signs now (RFC 7519, RS256). What it returns is ready before the sign-in is committed. */
export async function openSigner({ db, secrets }: Parts, organizationId: string, now: string) {
  const ring = ringOf(organizationId)
  await ensureSigningKey(db, secrets, ring, now)
  const found = await findSigningKey(db, ring, now)
  if (!found) throw new Error('No key signs for Microsoft Entra')
  const { kid, sealed_private_key: sealed } = found
  const der = unsealPrivateKey(secrets, sealed, { ...ring, kid })
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return ({ issuer, audience, subject, nonce, issuedAt, claims }: AnswerToken): Promise<string> => {
    const at = Math.floor(Date.parse(issuedAt) / 1000)
    return new SignJWT({ ...claims, nonce })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt(at)
      .setExpirationTime(at + validSeconds)
      .sign(key)
  }
}

/** The key set (RFC 7517): each key with its certificate, which Entra reads it from, and that one's thumbprint. */
export async function publishedKeys({ db, secrets }: Parts, organizationId: string, now: string) {
  const ring = ringOf(organizationId)
  await ensureSigningKey(db, secrets, ring, now)
  const rows = await listRing(db, ring, now)
  const keys = rows.flatMap(({ kid, public_jwk: { kty, n, e }, certificate }) => {
    if (certificate === null) return []
    const x5t = createHash('sha1').update(certificate).digest('base64url')
    return [{ kty, use: 'sig', alg: 'RS256', kid, x5t, n, e, x5c: [certificate.toString('base64')] }]
  })
  return { keys }
}
