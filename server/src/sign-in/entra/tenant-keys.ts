import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { Clock } from '../../base/clock.ts'
import { guardedFetch } from '../../base/outbound/guarded-fetch.ts'
import { dayMs, hourMs, minuteMs } from '../../base/time.ts'
import { type EntraCloud, metadataUrlOf } from '../connections/entra-rules.ts'

/** A `fetch` as the guarded one is. */
export type FetchDocument = (url: string, options: { signal: AbortSignal }) => Promise<Response>

export type TenantKey = { kid: string; issuer: string | undefined; jwks: ReturnType<typeof createLocalJWKSet> }

/** The keys of a cloud could not be read. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

type Known = { keys: ReadonlyMap<string, TenantKey>; readAtMs: number }
/** `failure`: why its keys could not be read the last time, until they are. */
type Cloud = { known?: Known; askedAtMs: number; asking?: Promise<void>; failure?: unknown }

/** Keys are read again after this. */
const freshMs = 12 * hourMs
/** Where the cloud cannot be reached, they are used for this long. */
const keptMs = 3 * dayMs
/** A cloud is asked no more often than this, whatever strangers name as their key. */
const restMs = minuteMs
const timeoutMs = 8_000
const maxKeys = 200

/** The keys that sign hints: one set for each cloud, read when it is needed. */
export function tenantKeys(clock: Clock, fetchDocument: FetchDocument = guardedFetch({ maxBytes: 2 ** 19 })) {
  const clouds = new Map<EntraCloud, Cloud>()

  async function ask(name: EntraCloud, cloud: Cloud): Promise<void> {
    cloud.askedAtMs = Date.parse(clock())
    try {
      const keys = await readKeys(fetchDocument, metadataUrlOf(name))
      cloud.known = { keys, readAtMs: Date.parse(clock()) }
      delete cloud.failure
    } catch (error) {
      cloud.failure = error
    }
  }

  /** Asks once for all that wait; not while the last time was a moment ago. */
  async function refresh(name: EntraCloud, cloud: Cloud): Promise<void> {
    if (cloud.asking) return cloud.asking
    const ago = Date.parse(clock()) - cloud.askedAtMs
    if (ago >= 0 && ago < restMs) return
    cloud.asking = ask(name, cloud).finally(() => {
      delete cloud.asking
    })
    await cloud.asking
  }

  /** The key of a cloud by its identifier; undefined for none. Rejects with KeysUnavailable while no keys are known. */
  return async function find(name: EntraCloud, kid: string): Promise<TenantKey | undefined> {
    const cloud = clouds.get(name) ?? { askedAtMs: Number.NEGATIVE_INFINITY }
    clouds.set(name, cloud)
    const ageMs = () => Date.parse(clock()) - (cloud.known?.readAtMs ?? Number.NEGATIVE_INFINITY)
    if (ageMs() >= freshMs || !cloud.known?.keys.has(kid)) await refresh(name, cloud)
    if (!cloud.known || ageMs() >= keptMs) {
      throw new KeysUnavailable(`The keys of ${name} cannot be read`, { cause: cloud.failure })
    }
    return cloud.known.keys.get(kid)
  }
}

/** Reads the metadata of a cloud (OpenID Connect Discovery 1.0 §3) and its keys, which are on the same host. */
async function readKeys(fetchDocument: FetchDocument, metadataUrl: string): Promise<Map<string, TenantKey>> {
  const read = async (url: string): Promise<unknown> => {
    const response = await fetchDocument(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.status !== 200) throw new Error(`${new URL(url).host} answered ${response.status}`)
    return response.json()
  }
  const { jwks_uri: address } = Object(await read(metadataUrl)) as { jwks_uri?: unknown }
  const url = URL.parse(String(address))
  if (url?.origin !== new URL(metadataUrl).origin) throw new Error('The metadata names keys of another host')
  const { keys } = Object(await read(url.href)) as { keys?: unknown }
  const found = (Array.isArray(keys) ? keys : []).slice(0, maxKeys).flatMap(keyOf)
  if (found.length === 0) throw new Error('The cloud published no keys')
  return new Map(found.map((key) => [key.kid, key]))
}

function keyOf(value: unknown): TenantKey[] {
  const { kty, kid, n, e, use = 'sig', issuer } = Object(value) as Record<string, unknown>
  if (kty !== 'RSA' || use !== 'sig' || ![kid, n, e].every((part) => typeof part === 'string')) return []
  const keys = [{ kty, kid, n, e, alg: 'RS256', use }] as JSONWebKeySet['keys']
  const jwks = createLocalJWKSet({ keys })
  return [{ kid: String(kid), issuer: typeof issuer === 'string' ? issuer : undefined, jwks }]
}
