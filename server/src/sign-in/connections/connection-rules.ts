import type { FieldError } from '@muster/contract/errors.ts'
import { mayDoWithoutPkce } from '@muster/contract/request-refusals.ts'
import { isSecure } from '../egress/address-rules.ts'

const notHttps = 'must be an https address without a fragment'

/** What is wrong with an address that people are sent to; undefined for https, and for this machine. */
function faultOfAddress(address: string): string | undefined {
  const url = URL.parse(address)
  if (url && isSecure(url) && url.hash === '' && url.username === '' && url.password === '') return undefined
  return notHttps
}

/** RFC 3986 §2: what is of ASCII and may not stand in an address, and a percent sign that encodes nothing. */
const stray = /[\0-\x20"<>\\^`{|}\x7f]|%(?![\da-f]{2})/i

/**
 * What is wrong with an address that an answer goes to. It is compared letter by letter with what the application sends, so
 * what only a pattern, a browser or `URL.parse` makes an address of would never fit.
 */
export function faultOfRedirect(address: string): string | undefined {
  const shown = address.slice(0, 200)
  if (address.includes('*')) return `must be a complete address, without wildcards (*): ${shown}`
  const [found] = stray.exec(address) ?? []
  if (found !== undefined)
    return `must not contain ${nameOf(found)}, and be exactly what the application sends: ${shown}`
  const fault = address.includes('#') ? notHttps : faultOfAddress(address)
  if (fault !== undefined) return `${fault}: ${shown}`
  const sent = sentAs(address)
  return sent === address ? undefined : `must be written as ${sent.slice(0, 200)}: ${shown}`
}

function nameOf(character: string): string {
  if (character === '%') return 'a % without two hexadecimal digits after it'
  if (character === ' ') return 'a space'
  return character < ' ' || character === '\x7f' ? 'a line break or other control character' : character
}

/** How programs write an address whose letters or host name are not those of a URI (RFC 3986 §3.2.2, RFC 5890). */
function sentAs(address: string): string {
  const { href, protocol, hostname } = new URL(address)
  const isWritten = address.toLowerCase().startsWith(`${protocol}//${hostname}`) && /^[\x21-\x7e]+$/.test(address)
  if (isWritten) return address
  return address.endsWith('/') ? href : href.replace(/(?<=\/\/[^/]*)\/$/, '')
}

export function faultsOfAddresses({
  redirectUris = [],
  postLogoutRedirectUris = [],
  startUrl,
}: {
  redirectUris?: readonly string[] | undefined
  postLogoutRedirectUris?: readonly string[] | undefined
  startUrl?: string | null | undefined
}): FieldError[] {
  const faultsOf = (field: string, addresses: readonly string[]) =>
    addresses.flatMap((address) => {
      const message = faultOfRedirect(address)
      return message === undefined ? [] : [{ field, message }]
    })
  const redirects = [
    ...faultsOf('redirect_uris', redirectUris),
    ...faultsOf('post_logout_redirect_uris', postLogoutRedirectUris),
  ]
  const message = startUrl === undefined || startUrl === null ? undefined : faultOfAddress(startUrl)
  return message === undefined ? redirects : [...redirects, { field: 'start_url', message }]
}

type WhoSays = {
  kind: 'second_step' | 'application' | 'entra'
  requestKeys: readonly object[] | null
  upstreamId: string | null
  groupIds: readonly string[]
  mode: 'enforce' | 'observe' | 'disabled'
}

/** What is wrong with how a connection learns who the person is: each kind has one way, and a disabled one needs none yet. */
export function faultsOfPerson({ kind, requestKeys, upstreamId, groupIds, mode }: WhoSays): FieldError[] {
  if (kind === 'application') {
    return upstreamId === null ? [{ field: 'upstream_id', message: 'is needed: an upstream signs its people in' }] : []
  }
  const isNobody = kind === 'second_step' && requestKeys === null && mode !== 'disabled'
  return [
    ...(upstreamId === null ? [] : [{ field: 'upstream_id', message: 'is for connections of the kind application' }]),
    ...(groupIds.length === 0 ? [] : [{ field: 'group_ids', message: 'are for connections of the kind application' }]),
    ...(isNobody ? [{ field: 'request_keys', message: 'are needed: a second step signs its requests' }] : []),
  ]
}

type Proves = { kind: WhoSays['kind']; isPublic: boolean; requiresPkce: boolean }

/** What is wrong with a connection that does without PKCE (RFC 9700 §2.1.1): without a secret, PKCE is all there is. */
export function faultsOfPkce({ kind, isPublic, requiresPkce }: Proves): FieldError[] {
  if (requiresPkce || mayDoWithoutPkce({ kind, is_public: isPublic })) return []
  return [{ field: 'requires_pkce', message: 'must be on, except for an application with a secret' }]
}
