import type { FieldError } from '@muster/contract/errors.ts'

/** A public key (RFC 7517). */
export type RequestKey = Record<string, string>

/** What the requests of a connection say of the person: those of Entra carry its own signed hint. */
type Vouched = { kind: 'oidc' | 'entra'; request_keys: unknown; upstream_id: string | null }

export const evidenceOf = ({ kind, request_keys: keys, upstream_id: upstreamId }: Vouched): 'asserted' | 'hinted' =>
  kind === 'oidc' && keys === null && upstreamId === null ? 'hinted' : 'asserted'

const maxKeyCharacters = 20_000

/** What is wrong with an address that answers or people are sent to; undefined for https, and for this machine. */
function faultOfAddress(address: string): string | undefined {
  const url = URL.parse(address)
  if (url && isSecure(url) && url.hash === '' && url.username === '' && url.password === '') return undefined
  return 'must be an https address without a fragment'
}

/** Https, or http to this machine in a trial. */
export const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))

/** The keys of a JWK set (RFC 7517 §5); undefined unless all are public ones of an asymmetric algorithm. */
export function readRequestKeys(value: unknown): RequestKey[] | undefined {
  const { keys } = Object(value) as { keys?: unknown }
  const isGood = Array.isArray(keys) && keys.length > 0 && keys.length <= 20 && keys.every(isPublicKey)
  return isGood && JSON.stringify(keys).length <= maxKeyCharacters ? keys : undefined
}

const isPublicKey = (key: unknown): key is RequestKey =>
  typeof key === 'object' &&
  key !== null &&
  'kty' in key &&
  ['RSA', 'EC', 'OKP'].includes(String(key.kty)) &&
  !('d' in key)

export function faultsOfAddresses({
  redirectUris = [],
  startUrl,
}: {
  redirectUris?: readonly string[] | undefined
  startUrl?: string | null | undefined
}): FieldError[] {
  const redirects = redirectUris.flatMap((address) => {
    const message = faultOfAddress(address)
    return message === undefined ? [] : [{ field: 'redirect_uris', message: `${message}: ${address.slice(0, 200)}` }]
  })
  const message = startUrl === undefined || startUrl === null ? undefined : faultOfAddress(startUrl)
  return message === undefined ? redirects : [...redirects, { field: 'start_url', message }]
}
