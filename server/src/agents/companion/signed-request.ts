import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import type { PublicEcJwk } from '../../base/db/schema.ts'
import { storable } from '../../base/storable.ts'
import { dayMs } from '../../base/time.ts'
import { parseInTurns } from '../protocol/bodies/parse-in-turns.ts'

/** A request of a companion before anything of it is verified. */
export type Envelope = { jws: string; kid: string | undefined; jwk: PublicEcJwk | undefined }

export type Fields = Record<string, unknown>

const type = 'muster-companion+jwt'
const thumbprint = /^[\w-]{43}$/
const maxClockDifferenceMs = 2 * dayMs

/** The envelope `{"request": "<compact JWS>"}` with its header; undefined for anything else. */
export function readEnvelope(body: unknown): Envelope | undefined {
  const jws = fieldsOf(body)['request']
  if (typeof jws !== 'string') return undefined
  try {
    const { alg, typ, kid, jwk } = decodeProtectedHeader(jws)
    if (alg !== 'ES256' || typ !== type) return undefined
    return { jws, kid: typeof kid === 'string' && thumbprint.test(kid) ? kid : undefined, jwk: publicKeyOf(jwk) }
  } catch {
    return undefined
  }
}

function publicKeyOf(value: unknown): PublicEcJwk | undefined {
  const { kty, crv, x, y } = fieldsOf(value)
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined
  return thumbprint.test(x) && thumbprint.test(y) ? { kty, crv, x, y } : undefined
}

/** RFC 7638. */
export const thumbprintOf = (jwk: PublicEcJwk): Promise<string> => calculateJwkThumbprint(jwk)

type Expected = {
  kid: string
  jwk: PublicEcJwk
  /** The path that the request was sent to. */
  path: string
  /** The hosts that this server is known by. */
  hosts: readonly string[]
  /** Undefined: the signer has not heard our time yet. */
  nowMs: number | undefined
}

/**
 * The payload of a request, when the key has signed it for this address and within two days of our time. Undefined
 * otherwise.
 */
export async function verifyRequest({ jws }: Envelope, expected: Expected): Promise<Fields | undefined> {
  try {
    const { payload } = await compactVerify(jws, await importJWK(expected.jwk, 'ES256'), { algorithms: ['ES256'] })
    const parsed = await parseInTurns(Buffer.from(payload))
    const fields = fieldsOf('ok' in parsed ? parsed.ok : undefined)
    return isMeant(fields, expected) ? fields : undefined
  } catch {
    return undefined
  }
}

function isMeant({ iss, aud, iat, jti }: Fields, { kid, path, hosts, nowMs }: Expected): boolean {
  if (iss !== kid || typeof iat !== 'number' || typeof jti !== 'string') return false
  if (jti.length < 16 || jti.length > 100) return false
  const isLate = nowMs !== undefined && Math.abs(nowMs - iat * 1000) > maxClockDifferenceMs
  return isAddress(aud, { path, hosts }) && !isLate
}

/** Whether an audience is this path of this server. */
export function isAddress(aud: unknown, { path, hosts }: Pick<Expected, 'path' | 'hosts'>): boolean {
  if (typeof aud !== 'string' || !URL.canParse(aud)) return false
  const { pathname, host } = new URL(aud)
  return pathname.endsWith(path) && hosts.includes(host)
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** A field as text that the database takes; empty for anything that is not a text. */
export const textOf = (value: unknown, maxLength = 255): string =>
  typeof value === 'string' ? storable(value, maxLength).trim() : ''
