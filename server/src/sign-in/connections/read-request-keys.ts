import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { unstorableTexts } from '../../base/storable.ts'

/** A public key (RFC 7517). */
export type RequestKey = Record<string, string>

/** What a request may be signed with (RFC 9101). A secret that both sides know proves nothing of who has signed. */
export const requestAlgorithms = ['RS256', 'PS256', 'ES256'] as const
export type RequestAlgorithm = (typeof requestAlgorithms)[number]

const maxKeyCharacters = 20_000

export const keySetFault =
  'must be a JWK set of 1 to 20 public keys of one algorithm: RS256 or PS256 of 2,048 bits and more, or ES256'

/** The keys of a JWK set (RFC 7517 §5); undefined unless all are public ones of one algorithm that requests are signed with. */
export function readRequestKeys(value: unknown): RequestKey[] | undefined {
  const { keys } = Object(value) as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > 20 || !keys.every(isPublicKey)) return undefined
  const isOfOne = algorithmOfKeys(keys) !== undefined
  return isOfOne && JSON.stringify(keys).length <= maxKeyCharacters ? keys : undefined
}

const isPublicKey = (key: unknown): key is RequestKey =>
  typeof key === 'object' &&
  key !== null &&
  privateMembers.every((name) => !(name in key)) &&
  ('kid' in key ? typeof key.kid === 'string' : true) &&
  // Base64 is read over what does not belong into it.
  unstorableTexts(key).length === 0 &&
  algorithmOf(key) !== undefined &&
  createsKey(key)

/** Members of private and symmetric keys (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The algorithm of all keys; undefined where they have different ones. */
export function algorithmOfKeys(keys: readonly object[]): RequestAlgorithm | undefined {
  const [algorithm, ...others] = new Set(keys.map(algorithmOf))
  return others.length === 0 ? algorithm : undefined
}

/** An RSA key signs by RS256 unless it names PS256. */
function algorithmOf(key: { kty?: unknown; crv?: unknown; alg?: unknown }): RequestAlgorithm | undefined {
  const { kty, crv, alg } = key
  if (kty === 'RSA') return alg === undefined ? 'RS256' : alg === 'RS256' || alg === 'PS256' ? alg : undefined
  return kty === 'EC' && crv === 'P-256' && (alg ?? 'ES256') === 'ES256' ? 'ES256' : undefined
}

/** RSA keys of fewer than 2,048 bits are refused, as every verifier does (RFC 7518 §3.3). */
function createsKey(key: object): boolean {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    return (asymmetricKeyDetails?.modulusLength ?? 2_048) >= 2_048
  } catch {
    return false
  }
}
