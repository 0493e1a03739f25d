import { createHash } from 'node:crypto'
import { CompactSign, compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { standInVersion } from '../linux/agent-itself.ts'
import type { CompanionState, Trust } from './companion-state.ts'
import type { PeerUser } from './peer-user.ts'

/** How the challenge came: by a request of the page, or with the browser's navigation. */
export type Via = 'fetch' | 'navigation'

export type ProofInput = { challenge: string; via: Via; user: PeerUser | undefined }

const challengeType = 'muster-challenge+jwt'
const maxChallengeBytes = 8 * 1024
const maxLifeSeconds = 60
const maxClockDifferenceSeconds = 24 * 3600
const maxSeen = 10_000

/**
 * Makes proofs for one key. A challenge counts when one of the organization's keys has signed it for this organization
 * and the pinned origin, for a minute at most, and when it was not seen before; `undefined` for any other. `onUnknownKey`
 * hears of one by a key that the organization did not have at the last contact.
 */
export function prover(onUnknownKey: () => void = () => {}) {
  const seen = new Set<string>()

  async function prove(state: CompanionState, input: ProofInput): Promise<string | undefined> {
    const { trust } = state
    const challenge = trust && (await readChallenge(trust, input.challenge, onUnknownKey))
    if (!challenge || seen.has(challenge.jti)) return undefined
    seen.add(challenge.jti)
    const [oldest] = seen
    if (seen.size > maxSeen && oldest !== undefined) seen.delete(oldest)
    return sign(state, trust, challenge, input)
  }

  return prove
}

type Challenge = { iss: string; aud: string; jti: string; sid: string; origin: string; iat: number; exp: number }

async function readChallenge(trust: Trust, text: string, onUnknownKey: () => void): Promise<Challenge | undefined> {
  if (text.length > maxChallengeBytes) return undefined
  try {
    const { alg, typ, kid } = decodeProtectedHeader(text)
    const key = trust.challengeKeys.find((one) => one.kid === kid)
    if (alg !== 'ES256' || typ !== challengeType) return undefined
    if (!key) {
      onUnknownKey()
      return undefined
    }
    const { payload } = await compactVerify(text, await importJWK(key, 'ES256'), { algorithms: ['ES256'] })
    const challenge = JSON.parse(new TextDecoder().decode(payload)) as Challenge
    return isMeant(trust, challenge) ? challenge : undefined
  } catch {
    return undefined
  }
}

function isMeant(trust: Trust, { iss, aud, jti, sid, origin, iat, exp }: Challenge): boolean {
  const pinned = new URL(trust.origin).origin
  return (
    [jti, sid].every((text) => typeof text === 'string' && text !== '') &&
    [iss, origin].every((address) => URL.canParse(address) && new URL(address).origin === pinned) &&
    aud === `urn:muster:agent:${trust.organization}` &&
    Number.isFinite(iat) &&
    exp > iat &&
    exp - iat <= maxLifeSeconds &&
    // Whether it is fresh is for the server to judge, whose clock is right.
    serverTimes(trust).some((time) => Math.abs(time / 1000 - iat) <= maxClockDifferenceSeconds)
  )
}

/** The server's time in milliseconds: by our clock, which someone may have set, and by one that stops while we sleep. */
const serverTimes = ({ offsetMs, steadyOffsetMs }: Trust): number[] => [
  Date.now() + offsetMs,
  ...(steadyOffsetMs === undefined ? [] : [performance.now() + steadyOffsetMs]),
]

async function sign(
  { kid, privateJwk }: CompanionState,
  trust: Trust,
  { jti, sid }: Challenge,
  { challenge, via, user }: ProofInput,
): Promise<string> {
  const proof = {
    nonce: jti,
    sid,
    aud: new URL(trust.origin).origin,
    iat: Math.floor(Date.now() / 1000),
    via,
    challenge_hash: createHash('sha256').update(challenge).digest('base64url'),
    os_user: user ?? null,
    agent_version: standInVersion,
    hardware: 'file',
    epoch: trust.epoch,
  }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(proof)))
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-proof+jwt', kid })
    .sign(await importJWK(privateJwk, 'ES256'))
}
