import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import type { PublicEcJwk } from '../../base/db/schema.ts'
import { storable } from '../../base/storable.ts'

/** What the `DPoP` header of a request says it is signed by, before anything of it is verified (RFC 9449 §4.2). */
export type Signature = { jws: string; jwk: PublicEcJwk; kid: string; claims: Fields }

export type Fields = Record<string, unknown>

const type = 'dpop+jwt'
/** 32 bytes in their one spelling, since the thumbprint is that of the text. */
const coordinate = /^[\w-]{42}[AEIMQUYcgkosw048]$/
const maxLength = 2_048

/** Undefined for anything but one JWS with the public key of a companion. */
export async function readSignature(header: unknown): Promise<Signature | undefined> {
  if (typeof header !== 'string' || header.length > maxLength) return undefined
  try {
    const { alg, typ, jwk: named } = decodeProtectedHeader(header)
    const jwk = publicKeyOf(named)
    if (alg !== 'ES256' || typ !== type || !jwk) return undefined
    const payload = Buffer.from(header.split('.')[1] ?? '', 'base64url').toString('utf8')
    // RFC 7638.
    return { jws: header, jwk, kid: await calculateJwkThumbprint(jwk), claims: fieldsOf(JSON.parse(payload)) }
  } catch {
    return undefined
  }
}

function publicKeyOf(value: unknown): PublicEcJwk | undefined {
  const { kty, crv, x, y } = fieldsOf(value)
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined
  return coordinate.test(x) && coordinate.test(y) ? { kty, crv, x, y } : undefined
}

type Expected = {
  /** The path that the request was sent to. */
  path: string
  /** The hosts that this server is known by. */
  hosts: readonly string[]
}

/** Whether the key has signed for this address, whatever the body is. The nonce is judged elsewhere. */
export async function isSigned({ jws, jwk, claims }: Signature, expected: Expected): Promise<boolean> {
  const { htm, htu, jti } = claims
  if (htm !== 'POST' || typeof jti !== 'string' || jti === '' || !isAddress(htu, expected)) return false
  try {
    await compactVerify(jws, await importJWK(jwk, 'ES256'), { algorithms: ['ES256'] })
    return true
  } catch {
    return false
  }
}

/** Whether this is the body that was signed for. */
export const isBodyOf = ({ claims }: Signature, body: Uint8Array): boolean =>
  claims['body_hash'] === createHash('sha256').update(body).digest('base64url')

/** Whether an address is this path of this server. */
export function isAddress(address: unknown, { path, hosts }: Expected): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false
  const { pathname, host } = new URL(address)
  return pathname.endsWith(path) && hosts.includes(host)
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** A field as text that the database takes; empty for anything that is not a text. */
export const textOf = (value: unknown, maxLength = 255): string =>
  typeof value === 'string' ? storable(value, maxLength).trim() : ''
