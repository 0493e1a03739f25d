import { isIP } from 'node:net'
import { postgresHost } from '../../base/db/postgres-pool.ts'
import { type GuardedFetch, guardedFetch } from '../../base/outbound/guarded-fetch.ts'
import { type OwnAddresses, ownAddresses, ownHosts } from '../../base/outbound/own-addresses.ts'
import { isInRanges } from '../../base/outbound/public-address.ts'
import { faultOfReceiverUrl } from '../../base/outbound/receiver-url.ts'
import type { Resolve } from '../../base/outbound/resolve-name.ts'
import { codeOf } from '../../base/relying-party/oidc-failure.ts'
import { isStorable } from '../../base/storable.ts'
import { isSecure } from './address-rules.ts'

/** Where upstreams may be: on the public internet, and at what the operator lists. */
export type UpstreamEgress = {
  innerNames: readonly string[]
  innerRanges: readonly string[]
  nat64Prefixes?: readonly string[]
  listOwnAddresses?: OwnAddresses
  /** How names are resolved; unless told otherwise the name servers are asked. */
  resolve?: Resolve
}

/** Of the server. */
export type EgressSettings = {
  baseUrl: string
  databaseUrl: string | undefined
  privateIdentityProviders: readonly string[]
  egressNat64Prefixes: readonly string[]
  egressSharedAddresses: readonly string[]
}

/** The way out to upstreams, as the settings of the server have it. */
export function upstreamEgress(settings: EgressSettings): UpstreamEgress {
  const { baseUrl, databaseUrl, privateIdentityProviders: listed } = settings
  const isRange = (entry: string): boolean => isIP(entry.split('/')[0] ?? '') !== 0
  const databaseHost = databaseUrl === undefined ? undefined : postgresHost(databaseUrl)
  return {
    innerNames: listed.filter((entry) => !isRange(entry)),
    innerRanges: listed.filter(isRange),
    nat64Prefixes: settings.egressNat64Prefixes,
    listOwnAddresses: ownAddresses({
      hosts: ownHosts(baseUrl, databaseHost),
      sharedRanges: settings.egressSharedAddresses,
    }),
  }
}

/** What is wrong with an issuer as an administrator wrote it, in words that follow "must"; undefined when nothing is. */
export const faultOfIssuer = (egress: UpstreamEgress, issuer: string): string | undefined =>
  URL.parse(issuer)?.search ? 'have no query' : faultOfPartyUrl(egress, issuer)

/** The same of any address of an upstream or a caller. */
export function faultOfPartyUrl(egress: UpstreamEgress, address: string): string | undefined {
  const url = URL.parse(address)
  if (url?.protocol === 'http:' && isListedLoopback(egress, url)) return undefined
  // Whether its host may be dialed is judged when it is.
  return faultOfReceiverUrl(address, { allowPrivate: true })
}

/**
 * Why a call to an address has failed, in words that follow the name of the field; undefined where it has answered. Says of a host
 * whether it has an address and whether that is public, and no more; of names that are for inner networks not even that, as someone
 * could list them.
 */
export function faultOfCall(error: unknown, address: string): string | undefined {
  const code = codeOf(error)
  if (code === 'NAME_UNRESOLVED' && faultOfReceiverUrl(address, { allowPrivate: false }) === undefined)
    return unknownHost
  if (code === 'NAME_UNRESOLVED' || code === 'ADDRESS_REFUSED') return innerHost
  const { name } = Object(error) as { name?: unknown }
  return code !== undefined || name === 'TimeoutError' ? 'does not answer' : undefined
}

const unknownHost = 'could not be looked up: check the spelling of the host, and the DNS of this server'
const innerHost =
  'must be on a publicly reachable host, or be listed in MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS by the operator'

/** The `fetch` for one upstream: plain http is for a laboratory on this machine alone, which the operator has listed. */
export function upstreamFetch(egress: UpstreamEgress, issuer: string): GuardedFetch {
  const url = new URL(issuer)
  return guardedFetch({ ...egress, trustedOrigin: isListedLoopback(egress, url) ? url.origin : undefined })
}

/** Where an upstream may send browsers: https, or this machine where the upstream itself is on it. A URL is parsed over NUL. */
export const isBrowserAddress = (issuer: string, address: unknown): address is string => {
  const url = typeof address === 'string' && address.length <= 2_000 && isStorable(address) ? URL.parse(address) : null
  if (!url || url.username || url.password || url.hash) return false
  return url.protocol === 'https:' || (issuer.startsWith('http:') && isSecure(url))
}

const isListedLoopback = ({ innerNames, innerRanges }: UpstreamEgress, url: URL): boolean =>
  url.protocol === 'http:' &&
  isSecure(url) &&
  (innerNames.includes(url.hostname) || isInRanges(url.hostname.replace(/^\[|\]$/g, ''), innerRanges))
