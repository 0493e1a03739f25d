import { isIP } from 'node:net'
import { type AddressRules, isPublicAddress } from './public-address.ts'

export type ReceiverRules = AddressRules & {
  /** Lets laboratories name their own machines; `https` stays required. */
  readonly allowPrivate: boolean
}

export const maximumUrlLength = 2_048

/** The Fetch standard's blocked ports, which speak protocols that a request could be mistaken for. */
const blockedPorts = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
])

/** Names that lead nowhere public (RFC 6761, RFC 6762, RFC 8375, RFC 9476) or are used inside of networks. */
const inwardEndings = new Set([
  ...['localhost', 'localdomain', 'local', 'internal', 'intranet', 'corp', 'home', 'lan', 'private', 'onion', 'arpa'],
  ...['svc', 'alt'],
])
const inwardNames = new Set(['metadata.goog'])

/**
 * What is wrong with a receiver's address as someone wrote it, in words that follow "must"; undefined when nothing
 * is. Only what is already in its canonical form passes, so that no reader of it, now or later, understands another
 * host. Names are resolved and judged at each connection.
 */
export function faultOfReceiverUrl(text: string, rules: ReceiverRules): string | undefined {
  if (text.length > maximumUrlLength) return `be at most ${maximumUrlLength} characters long`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: parsers drop some of them, which hides what is meant
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'have no spaces, control characters or backslashes'
  if (/[^\u0021-\u007e]/.test(text)) return 'be ASCII; write an international name in its xn-- form'
  const authority = /^https:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined || /^https:\/\/\//i.test(text)) return 'begin with https:// and a host'
  if (authority.includes('@')) return 'hold no user name or password'
  if (authority.includes('%')) return 'have no percent sign in its host'
  if (text.includes('#')) return 'have no fragment'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return 'be a valid address'
  return faultOfPort(authority, url) ?? faultOfHost(authority, url, rules)
}

function faultOfPort(authority: string, url: URL): string | undefined {
  const written = /:(\d*)$/.exec(authority)?.[1]
  if (written === undefined) return undefined
  if (written === '') return 'name a port after the colon'
  if (written.startsWith('0') && written !== '0') return 'name its port without zeros in front'
  const port = Number(url.port === '' ? '443' : url.port)
  return blockedPorts.has(port) ? 'use another port' : undefined
}

function faultOfHost(authority: string, url: URL, rules: ReceiverRules): string | undefined {
  const written = authority.replace(/:\d*$/, '').toLowerCase()
  if (written !== url.hostname) return 'name its host in the usual form'
  const address = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0) {
    const isMapped = address.startsWith('::ffff:')
    const isAllowed = rules.allowPrivate || (!isMapped && isPublicAddress(address, rules))
    return isAllowed ? undefined : 'be on a publicly reachable host'
  }
  return faultOfName(url.hostname, rules)
}

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

function faultOfName(host: string, { allowPrivate }: ReceiverRules): string | undefined {
  if (host.endsWith('.')) return 'name its host without a dot at the end'
  const labels = host.split('.')
  if (host.length > 253 || !labels.every((one) => label.test(one))) return 'name a valid host'
  if (allowPrivate) return undefined
  const isInward = labels.length === 1 || inwardEndings.has(labels.at(-1) ?? '') || inwardNames.has(host)
  return isInward ? 'be on a publicly reachable host' : undefined
}
