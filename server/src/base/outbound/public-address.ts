import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** IANA's special-purpose ranges, and addresses that are public in form but inward at some clouds. */
const refusedIPv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // The wire server of Azure and the metadata service of Equinix.
  ...['168.63.129.16/32', '192.80.8.124/32'],
].map((range) => ipaddr.IPv4.parseCIDR(range))

/** Outside of it nothing is public. */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Within it. */
const refusedIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20'].map(
  (range) => ipaddr.IPv6.parseCIDR(range),
)

export type AddressRules = {
  /** Prefixes by which this network reaches IPv4 from IPv6 (RFC 6052), each of 96 bits. */
  readonly nat64Prefixes?: readonly string[]
  /** Addresses that are Muster's own, as `canonicalAddress` writes them: no receiver is there. */
  readonly ownAddresses?: ReadonlySet<string>
}

/**
 * Whether an address is one of the public internet and not Muster's own. IPv4 is judged by what is refused, IPv6 by
 * what is allowed; an IPv4 address inside an IPv6 one is judged as itself.
 */
export function isPublicAddress(text: string, rules: AddressRules = {}): boolean {
  const address = parseAddress(text)
  return address !== undefined && isPublic(address, rules)
}

/** One spelling for each address, with an IPv4-mapped one as IPv4 and without a zone; undefined for anything else. */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toString()
}

/** Whether an address is in any of these ranges in CIDR notation; a range without a length is one address. */
export function isInRanges(text: string, ranges: readonly string[]): boolean {
  const address = parseAddress(text)
  if (!address) return false
  return ranges.some((range) => {
    const [network, bits] = parseRange(range)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}

/** Strictly: the library also reads `127.1` and octal numbers, which no resolver answers. */
function parseAddress(text: string): Address | undefined {
  const plain = text.split('%', 1)[0] ?? ''
  return isIP(plain) === 0 ? undefined : ipaddr.process(plain)
}

function parseRange(range: string): [Address, number] {
  if (range.includes('/')) return ipaddr.parseCIDR(range)
  const address = ipaddr.process(range)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isPublic(address: Address, rules: AddressRules): boolean {
  if (rules.ownAddresses?.has(address.toString())) return false
  if (address instanceof ipaddr.IPv4) return !refusedIPv4.some((range) => address.match(range))
  const v6 = address as ipaddr.IPv6
  const isNat64 = rules.nat64Prefixes?.some((prefix) => v6.match(ipaddr.IPv6.parseCIDR(prefix)))
  if (isNat64) return isPublic(lastIPv4(v6), rules)
  if (!v6.match(globalIPv6) || refusedIPv6.some((range) => v6.match(range))) return false
  return !isIsatap(v6) || isPublic(lastIPv4(v6), rules)
}

/** An interface identifier of ISATAP holds an IPv4 address (RFC 5214 §6.1). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5e_fe

const lastIPv4 = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12))
