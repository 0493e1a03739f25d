import { createHash } from 'node:crypto'
import { CompactSign, importJWK } from 'jose'
import { standInVersion } from '../linux/agent-itself.ts'
import type { CompanionState, Trust } from './companion-state.ts'
import type { Peer } from './peer.ts'
import { type Challenge, type ChallengeRefusal, readChallenge } from './read-challenge.ts'

/** How the challenge came: by a request of the page, or with the browser's navigation. */
export type Via = 'fetch' | 'navigation'

export type ProofInput = {
  challenge: string
  via: Via
  /** Looks for the process that asks; called only for a challenge that gets a proof. */
  peer: () => Promise<Peer | null>
  /** How many people are logged in. */
  people: () => Promise<number | null>
}

export type ProofAnswer = { proof: string } | { refused: ChallengeRefusal }

const maxSeen = 10_000

/**
 * Makes proofs for one key, one for each good challenge. `onUnknownKey` hears of a challenge by a key that the organization
 * did not have at the last check-in.
 */
export function prover(onUnknownKey: () => void = () => {}) {
  const seen = new Set<string>()

  async function prove(state: CompanionState, input: ProofInput): Promise<ProofAnswer> {
    const { trust } = state
    if (!trust) return { refused: 'unknown_key' }
    const read = await readChallenge(input.challenge, trust)
    if ('refused' in read) {
      if (read.refused === 'unknown_key') onUnknownKey()
      return read
    }
    const { jti } = read.challenge
    if (seen.has(jti)) return { refused: 'seen' }
    seen.add(jti)
    const [oldest] = seen
    if (seen.size > maxSeen && oldest !== undefined) seen.delete(oldest)
    return { proof: await sign(state, trust, read.challenge, input) }
  }

  return prove
}

async function sign(
  { kid, privateJwk }: CompanionState,
  trust: Trust,
  { jti, sid }: Challenge,
  { challenge, via, peer, people }: ProofInput,
): Promise<string> {
  const [found, count] = await Promise.all([peer(), people()])
  const proof = {
    nonce: jti,
    sid,
    aud: new URL(trust.origin).origin,
    iat: Math.floor(Date.now() / 1000),
    via,
    challenge_hash: createHash('sha256').update(challenge).digest('base64url'),
    peer: found,
    people: count,
    agent_version: standInVersion,
    hardware: 'file',
    epoch: trust.epoch,
  }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(proof)))
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-proof+jwt', kid })
    .sign(await importJWK(privateJwk, 'ES256'))
}
