import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What one customer of a provider has: an IPv4 address, or 64 bits of IPv6. What is no address, which a trusted proxy
 * may pass on, stands for itself.
 */
export function networkOf(text: string): string {
  const plain = text.split('%', 1)[0] ?? ''
  if (isIP(plain) === 0) return text
  const address = ipaddr.process(plain)
  return address instanceof ipaddr.IPv6
    ? new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()
    : address.toString()
}
