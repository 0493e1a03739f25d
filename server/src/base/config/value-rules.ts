import { isIP } from 'node:net'

const proxyNames = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** 32 bytes as base64, base64url (with or without padding) or hex; anything else is undefined. */
export function decodeMasterKey(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64')
  return key.length === 32 ? key : undefined
}

export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

export function isListenAddress(host: string): boolean {
  return isIP(host) !== 0 || /^(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/.test(host)
}

/** An origin and nothing more: links are made by appending a path to it. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password && !/[?#@\\\s]/.test(text)
}

/** In clear only on this machine, where a laboratory has its provider. */
export function isOidcIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.search || url.hash || url.username || url.password || /[?#@\\\s]/.test(text)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}

/** Of `target_session_attrs`: what the primary is, which Muster needs in any case. */
const attributesOfPrimary = ['any', 'read-write', 'primary']

/** Why Muster would not connect to it, or not as `psql` does; undefined when all is well. Repeats nothing of the URL. */
export function describePostgresUrlFault(text: string): string | undefined {
  const [, hosts = '', parameters = ''] =
    /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*\??([^#]*)/i.exec(text) ?? []
  const query = new URLSearchParams(parameters)
  // The driver would take them for one name, and a URL of the standard has one port.
  if ([hosts, query.get('host'), query.get('port')].some((part) => part?.includes(','))) {
    return 'must name one host: an address that always leads to the primary, such as that of the provider or pooler, a virtual address or a DNS name'
  }
  if (!['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? '')) {
    return 'must be a postgres:// or postgresql:// URL'
  }
  if (attributesOfPrimary.includes(query.get('target_session_attrs') ?? 'any')) return undefined
  return 'must not ask for a standby: Muster writes, so leave target_session_attrs out of the URL, or set it to read-write'
}

export function isTrustProxy(text: string): boolean {
  return decodeBoolean(text) !== undefined || splitList(text).every(isProxyAddress)
}

function isProxyAddress(text: string): boolean {
  return proxyNames.has(text) || isAddressRange(text)
}

export function isAddressList(texts: string[]): boolean {
  return texts.every(isAddressRange)
}

/** Host names as URLs have them, in lower case, addresses and ranges. */
export function isHostList(texts: string[]): boolean {
  const name = /^(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/
  return texts.every((text) => isAddressRange(text) || (name.test(text) && !/^[\d.]+$/.test(text)))
}

export function isNat64PrefixList(texts: string[]): boolean {
  return texts.every((text) => isAddressRange(text) && text.includes(':') && text.endsWith('/96'))
}

/** An IP address, or a range in CIDR notation. */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

export function isHeaderNameList(names: string[]): boolean {
  return names.every((name) => /^[a-z0-9][a-z0-9-]*$/.test(name))
}

export function isTableNameList(names: string[]): boolean {
  return names.every((name) => /^[a-z_][a-z0-9_]*$/.test(name)) && (names.length === 1 || !names.includes('none'))
}

/** Printable ASCII without spaces: what survives a header, a flag file and a shell unharmed. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

export function decodeBoolean(text: string): boolean | undefined {
  if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true
  if (['false', '0', 'no', 'off'].includes(text.toLowerCase())) return false
  return undefined
}

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
