import assert from 'node:assert/strict'
import { createRemoteJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'

export const eventTypes = {
  complianceChange: 'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change',
  verification: 'https://schemas.openid.net/secevent/ssf/event-type/verification',
} as const

export type Set = { payload: JWTPayload; type: string; event: Record<string, unknown> }

/**
 * Takes tokens as a receiver does that was written by someone else: by the published keys alone, and by every rule of
 * RFC 8417 and SSF 1.0 §4 for what a token has and has not.
 */
export function setChecker(origin: string) {
  const keys = createRemoteJWKSet(new URL(`${origin}/ssf/jwks.json`))
  return async (token: string, audience: string): Promise<Set> => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      ...{ issuer: origin, audience, typ: 'secevent+jwt', algorithms: ['RS256'] },
    })
    const { kid, ...rest } = protectedHeader
    assert.deepEqual([rest, decodeProtectedHeader(token).kid], [{ alg: 'RS256', typ: 'secevent+jwt' }, kid])
    const { iss, jti, iat = Number.NaN, aud, events, sub_id: _subject, txn, ...others } = payload
    assert.deepEqual([iss, aud, others], [origin, audience, {}], 'neither sub nor exp, nor anything else')
    assert.ok(Number.isInteger(iat) && iat <= Date.now() / 1_000 && iat > Date.now() / 1_000 - 600, `iat ${iat}`)
    assert.ok(typeof jti === 'string' && jti !== '' && typeof txn === 'string' && txn !== '')
    const all = Object.entries(events as Record<string, Record<string, unknown>>)
    assert.equal(all.length, 1)
    const [[type, event] = ['', {}]] = all
    return { payload, type, event }
  }
}
