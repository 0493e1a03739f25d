import { fail } from '../../base/errors.ts'
import { faultOfCall, faultOfPartyUrl, type UpstreamEgress, upstreamFetch } from '../egress/upstream-egress.ts'
import { algorithmOfKeys, type RequestAlgorithm, type RequestKey, readRequestKeys } from './read-request-keys.ts'

const timeoutMs = 8_000

/**
 * Reads the keys that a caller publishes and signs requests with; of a set that has others as well, those of `algorithm` where it
 * is given. Fails with invalid, at the field `request_keys_url`. Call it outside of a transaction.
 */
export async function readKeysAt(
  egress: UpstreamEgress,
  url: string,
  algorithm?: RequestAlgorithm | null,
): Promise<RequestKey[]> {
  const fault = faultOfPartyUrl(egress, url)
  if (fault !== undefined) return refuse(`must ${fault}`)
  const usable = keysOf(await readJson(egress, url))
  const wanted = algorithm ? usable.filter((key) => algorithmOfKeys([key]) === algorithm) : usable
  return readRequestKeys({ keys: wanted }) ?? refuse(algorithm ? `must have keys for ${algorithm}` : setWords)
}

const setWords = 'must lead to a JWK set with 1 to 20 public keys for RS256, PS256 or ES256, all for one of these'

async function readJson(egress: UpstreamEgress, url: string): Promise<unknown> {
  let response: Response
  try {
    response = await upstreamFetch(egress, url)(url, { signal: AbortSignal.timeout(timeoutMs) })
  } catch (error) {
    return refuse(faultOfCall(error, url) ?? setWords)
  }
  if (response.status !== 200) return refuse(`must answer with 200, not with ${response.status}`)
  return response.json().catch(() => refuse(setWords))
}

/** What a key is made of (RFC 7517 §4, RFC 7518 §6); certificates and what else is beside them are left out. */
const members = ['kty', 'kid', 'alg', 'crv', 'x', 'y', 'n', 'e'] as const
/** Of a set of any length so many are looked at. */
const maxLooked = 200

/** The keys of a set that can sign requests. */
function keysOf(set: unknown): RequestKey[] {
  const { keys } = Object(set) as { keys?: unknown }
  if (!Array.isArray(keys)) return []
  return keys.slice(0, maxLooked).flatMap((value: unknown) => {
    const key = Object(value) as Record<string, unknown>
    if (key['use'] !== undefined && key['use'] !== 'sig') return []
    const parts = members.flatMap((name) => (typeof key[name] === 'string' ? [[name, key[name]] as const] : []))
    return readRequestKeys({ keys: [Object.fromEntries(parts)] }) ?? []
  })
}

const refuse = (message: string): never => fail('invalid', { errors: [{ field: 'request_keys_url', message }] })
