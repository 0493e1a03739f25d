import { compactVerify, decodeProtectedHeader, errors, importJWK } from 'jose'
import type { PublicEcJwk } from '../../base/db/schema.ts'
import { isStorable } from '../../base/storable.ts'
import type { Peer, Proof, ProofRefusal } from './proof-rules.ts'

const maxLength = 2_048
const type = 'muster-proof+jwt'

/** The key that a proof says it is by; nothing of it is verified. */
export function readKid(text: string): { kid: string } | { refusal: ProofRefusal } {
  if (text.length > maxLength) return { refusal: 'malformed' }
  try {
    const { alg, typ, kid } = decodeProtectedHeader(text)
    if (typ !== type) return { refusal: 'wrong_type' }
    if (alg !== 'ES256') return { refusal: 'wrong_algorithm' }
    return typeof kid === 'string' && isStorable(kid) ? { kid } : { refusal: 'unknown_key' }
  } catch (error) {
    return refusedBy(error, 'malformed')
  }
}

/** What a proof says, once the key has signed it. */
export async function verifyProof(
  text: string,
  jwk: PublicEcJwk,
): Promise<{ proof: Proof } | { refusal: ProofRefusal }> {
  try {
    const { payload } = await compactVerify(text, await importJWK(jwk, 'ES256'), { algorithms: ['ES256'] })
    const proof = proofIn(JSON.parse(new TextDecoder().decode(payload)))
    return proof ? { proof } : { refusal: 'malformed' }
  } catch (error) {
    return refusedBy(error, error instanceof errors.JWSSignatureVerificationFailed ? 'invalid_signature' : 'malformed')
  }
}

function refusedBy(error: unknown, refusal: ProofRefusal): { refusal: ProofRefusal } {
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError)
    return { refusal }
  throw error
}

function proofIn(value: unknown): Proof | undefined {
  const { nonce, sid, aud, challenge_hash: hash, epoch, iat, via, peer, people } = fieldsOf(value)
  const texts = [nonce, sid, aud, hash, epoch].filter((one) => typeof one === 'string')
  if (texts.length < 5) return undefined
  const [nonceText = '', sidText = '', audText = '', hashText = '', epochText = ''] = texts
  return {
    ...{ nonce: nonceText, sid: sidText, aud: audText, challenge_hash: hashText, epoch: epochText },
    iat: typeof iat === 'number' && Number.isFinite(iat) ? iat : undefined,
    via: typeof via === 'string' ? via : '',
    peer: peerIn(peer),
    people: typeof people === 'number' && Number.isInteger(people) && people >= 0 ? Math.min(people, 1_000) : undefined,
  }
}

function peerIn(value: unknown): Peer | undefined {
  const { uid, program } = fieldsOf(value)
  if (typeof uid !== 'number' || !Number.isSafeInteger(uid)) return undefined
  return { uid, program: typeof program === 'string' ? program.slice(0, 64) : null }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
