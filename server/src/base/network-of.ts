import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** So many networks' share of a limit have all those together whose proxy passes on what is no address. */
const withoutAddress = 64

/** Whether a text is an IP address, with or without a zone. */
export const isAddress = (text: string): boolean => isIP(text.split('%', 1)[0] ?? '') !== 0

/**
 * What one customer of a provider has: an IPv4 address, or 64 bits of IPv6. What is no address, which a trusted proxy may pass
 * on, is one of 64: it may be different text for each connection.
 */
export function networkOf(text: string): string {
  const plain = text.split('%', 1)[0] ?? ''
  if (isIP(plain) === 0) return `no address ${createHash('sha256').update(text).digest().readUInt8() % withoutAddress}`
  const address = ipaddr.process(plain)
  return address instanceof ipaddr.IPv6 ? prefixOf(address, 4) : address.toString()
}

/** The 48 bits of IPv6 that one site of a provider has, all of whose networks somebody may hold; else as `networkOf`. */
export function siteOf(text: string): string {
  const plain = text.split('%', 1)[0] ?? ''
  if (isIP(plain) !== 6) return networkOf(text)
  const address = ipaddr.process(plain)
  return address instanceof ipaddr.IPv6 ? prefixOf(address, 3) : address.toString()
}

const prefixOf = (address: ipaddr.IPv6, parts: number): string =>
  new ipaddr.IPv6([...address.parts.slice(0, parts), ...Array<number>(8 - parts).fill(0)]).toString()
