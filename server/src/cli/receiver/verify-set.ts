import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'

const setClaims = Type.Object({
  iss: Type.String(),
  jti: Type.String({ minLength: 1, maxLength: 200 }),
  iat: Type.Number(),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  events: Type.Unsafe<Record<string, Record<string, unknown>>>({
    type: 'object',
    minProperties: 1,
    additionalProperties: { type: 'object' },
  }),
})
export type SetClaims = Static<typeof setClaims> & JWTPayload

/** Errors of RFC 8935 §2.4. */
export type SetError =
  | 'invalid_request'
  | 'invalid_key'
  | 'invalid_issuer'
  | 'invalid_audience'
  | 'authentication_failed'

export type Verdict =
  | { kind: 'valid'; claims: SetClaims }
  | { kind: 'refused'; err: SetError; description: string }
  /** Says nothing of the token: it cannot be judged now. */
  | { kind: 'unavailable'; description: string }

type Expected = {
  issuer: string
  audience: string | string[]
  jwksUri: string
  /** Between two looks for a key that is not among those of the transmitter; 5 s unless told otherwise. */
  cooldownMs?: number
}

/**
 * Verifies security event tokens by the published keys of a transmitter, which are remembered for ten minutes and
 * fetched earlier when a token names another.
 */
export function setVerifier({
  issuer,
  audience,
  jwksUri,
  cooldownMs = 5_000,
}: Expected): (token: string) => Promise<Verdict> {
  const keys = createRemoteJWKSet(new URL(jwksUri), { cooldownDuration: cooldownMs })
  const rules = { issuer, audience, typ: 'secevent+jwt', algorithms: ['RS256'] }
  return async (token) => {
    const mayBeBehind = keys.coolingDown
    try {
      refuseStranger(decodeJwt(token), { issuer, audience })
      const { payload } = await jwtVerify(token, keys, rules)
      return Check(setClaims, payload)
        ? { kind: 'valid', claims: payload }
        : refused('invalid_request', 'The token needs iss, aud, iat, jti and events')
    } catch (error) {
      return judgeFailure(error, keys, mayBeBehind)
    }
  }
}

/** Before the signature, which a stranger's key would fail first: so that the answer says what is wrong. */
function refuseStranger(claims: JWTPayload, expected: Pick<Expected, 'issuer' | 'audience'>): void {
  const meant = [claims.aud ?? []].flat()
  const fail = (claim: string) => {
    throw new errors.JWTClaimValidationFailed(`unexpected "${claim}" claim value`, claims, claim, 'check_failed')
  }
  if (claims.iss !== expected.issuer) fail('iss')
  if (![expected.audience].flat().some((one) => meant.includes(one))) fail('aud')
}

const claimErrors: Partial<Record<string, SetError>> = { iss: 'invalid_issuer', aud: 'invalid_audience' }

function judgeFailure(error: unknown, keys: RemoteJWKSet, mayBeBehind: boolean): Verdict {
  if (!(error instanceof Error)) return { kind: 'unavailable', description: String(error) }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return refused(claimErrors[error.claim] ?? 'invalid_request', error.message)
  }
  if (error instanceof errors.JWKSNoMatchingKey && mayBeBehind && keys.coolingDown) {
    return { kind: 'unavailable', description: 'The key of the token is not known yet' }
  }
  if (isOfKey(error)) return refused('invalid_key', error.message)
  const isOfToken = [errors.JWSInvalid, errors.JWTInvalid, errors.JWTExpired].some((kind) => error instanceof kind)
  if (isOfToken) return refused('invalid_request', error.message)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return { kind: 'unavailable', description: `The keys of the transmitter cannot be had: ${error.message}${cause}` }
}

const isOfKey = (error: Error): boolean =>
  [
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
    errors.JWSSignatureVerificationFailed,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
  ].some((kind) => error instanceof kind)

const refused = (err: SetError, description: string): Verdict => ({ kind: 'refused', err, description })
