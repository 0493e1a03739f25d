import { compactVerify, decodeProtectedHeader, errors, importJWK } from 'jose'
import type { Trust } from './companion-state.ts'

/** What a proof takes from its challenge. */
export type Challenge = { jti: string; sid: string }

/** Why a challenge gets no proof. */
export type ChallengeRefusal =
  | 'malformed'
  | 'wrong_type'
  | 'unknown_key'
  | 'invalid_signature'
  | 'wrong_server'
  | 'wrong_organization'
  | 'wrong_life'
  | 'seen'

type Refused = { refused: ChallengeRefusal }

const challengeType = 'muster-challenge+jwt'
const maxLength = 4_096
const maxLifeSeconds = 60

/**
 * Reads a challenge that one of the organization's keys has signed for this organization and the pinned origin, for a minute
 * at most. Whether it is fresh is for the server to judge, by its own clock; whether it was seen before, for the caller.
 */
export async function readChallenge(text: string, trust: Trust): Promise<{ challenge: Challenge } | Refused> {
  if (text.length > maxLength) return { refused: 'malformed' }
  try {
    const { alg, typ, kid } = decodeProtectedHeader(text)
    if (alg !== 'ES256' || typ !== challengeType) return { refused: 'wrong_type' }
    const key = trust.challengeKeys.find((one) => one.kid === kid)
    if (!key) return { refused: 'unknown_key' }
    const { payload } = await compactVerify(text, await importJWK(key, 'ES256'), { algorithms: ['ES256'] })
    return judge(JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>, trust)
  } catch (error) {
    return { refused: error instanceof errors.JWSSignatureVerificationFailed ? 'invalid_signature' : 'malformed' }
  }
}

function judge(payload: Record<string, unknown>, trust: Trust): { challenge: Challenge } | Refused {
  const { iss, origin, aud, jti, sid, iat, exp } = payload
  if (!isText(jti) || !isText(sid)) return { refused: 'malformed' }
  const pinned = new URL(trust.origin).origin
  // URL.parse is not in every Node 22.
  const isPinned = (address: unknown) => isText(address) && URL.canParse(address) && new URL(address).origin === pinned
  if (!isPinned(iss) || !isPinned(origin)) return { refused: 'wrong_server' }
  if (aud !== `urn:muster:agent:${trust.organization}`) return { refused: 'wrong_organization' }
  const lifeSeconds = typeof exp === 'number' && typeof iat === 'number' ? exp - iat : Number.NaN
  return lifeSeconds > 0 && lifeSeconds <= maxLifeSeconds ? { challenge: { jti, sid } } : { refused: 'wrong_life' }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
