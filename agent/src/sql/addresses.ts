import { BlockList, isIP } from 'node:net'

/** An IPv4 address as a number, or null when it is not one. */
export function inetAton(address: string): number | null {
  if (isIP(address) !== 4) return null
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

/** 1 when `address` lies in `block` (such as `10.0.0.0/8` or `fe80::/10`), else 0. Throws on a malformed block. */
export function inCidrBlock(block: string, address: string): number {
  const [network = '', bits = ''] = block.split('/')
  const family = isIP(network)
  if (family === 0 || !/^\d+$/.test(bits)) throw new Error(`not a network: ${block}`)
  if (isIP(address) !== family) return 0
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, Number(bits), type)
  return list.check(address, type) ? 1 : 0
}
