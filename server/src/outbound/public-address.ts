import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IANA's special-purpose ranges, and addresses that are public in form but inward at some clouds. */
const refusedIPv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // The wire server of Azure and the metadata service of Equinix.
  ...['168.63.129.16/32', '192.80.8.124/32'],
]

/** Within 2000::/3, outside of which nothing is public. */
const refusedIPv6 = [...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20']]

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

const inwardIPv4 = blockList(refusedIPv4, 'ipv4')
const inwardIPv6 = blockList(refusedIPv6, 'ipv6')
const globalIPv6 = blockList(['2000::/3'], 'ipv6')
const mappedIPv6 = blockList(['::ffff:0:0/96'], 'ipv6')

/** An interface identifier of ISATAP holds an IPv4 address (RFC 5214 §6.1). */
const isatap = /^(?:0|200):5efe:([\da-f]{1,4}):([\da-f]{1,4})$/

export type AddressRules = {
  /** Prefixes by which this network reaches IPv4 from IPv6 (RFC 6052), each of 96 bits. */
  readonly nat64Prefixes?: readonly string[]
}

/**
 * Whether an address is one of the public internet. IPv4 is judged by what is refused, IPv6 by what is allowed; an
 * IPv4 address inside an IPv6 one is judged as itself.
 */
export function isPublicAddress(address: string, rules: AddressRules = {}): boolean {
  if (isIPv4(address)) return !inwardIPv4.check(address, 'ipv4')
  if (!isIPv6(address)) return false
  const plain = address.split('%', 1)[0] ?? ''
  const embedded = blockList(rules.nat64Prefixes ?? [], 'ipv6')
  const groups = expand(plain)
  if (mappedIPv6.check(plain, 'ipv6') || embedded.check(plain, 'ipv6')) return isPublicAddress(lastIPv4(groups))
  if (!globalIPv6.check(plain, 'ipv6') || inwardIPv6.check(plain, 'ipv6')) return false
  return !isatap.test(groups.slice(4).join(':')) || isPublicAddress(lastIPv4(groups))
}

/** The eight groups of an IPv6 address, in lower-case hex without leading zeros. */
function expand(address: string): string[] {
  const quad = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const hex = quad
    ? address.slice(0, quad.index) + [hexOf(quad[1], quad[2]), hexOf(quad[3], quad[4])].join(':')
    : address
  const [head = '', tail] = hex.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...(tail === undefined ? [] : zeros), ...after].map((group) => group.replace(/^0+(?=.)/, ''))
}

const hexOf = (high = '0', low = '0'): string => (Number(high) * 256 + Number(low)).toString(16)

function lastIPv4(groups: readonly string[]): string {
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
