import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { columns, type Row, type Table } from '../tables/table.ts'
import { ifAllowed, listDirectory, readLine, readLines } from './read-files.ts'
import { decodeAddress } from './sockets.ts'

export const interfaceAddresses: Table = {
  name: 'interface_addresses',
  columns: columns('interface address mask broadcast point_to_point type'),
  *collect() {
    for (const [name, addresses] of Object.entries(networkInterfaces())) {
      for (const { address, netmask, family } of addresses ?? []) {
        const broadcast = family === 'IPv4' && name !== 'lo' ? broadcastOf(address, netmask) : ''
        yield { interface: name, address, mask: netmask, broadcast, point_to_point: '', type: 'unknown' }
      }
    }
  },
}

export function broadcastOf(address: string, mask: string): string {
  if (isIP(address) !== 4 || isIP(mask) !== 4) return ''
  const masks = mask.split('.').map(Number)
  return address
    .split('.')
    .map((part, index) => Number(part) | (~(masks[index] ?? 0) & 0xff))
    .join('.')
}

export const interfaceDetails: Table = {
  name: 'interface_details',
  columns: columns(`interface mac type:integer mtu:integer metric:integer flags:integer ipackets:bigint opackets:bigint
    ibytes:bigint obytes:bigint ierrors:bigint oerrors:bigint idrops:bigint odrops:bigint collisions:bigint
    last_change:bigint link_speed:bigint`),
  *collect() {
    for (const name of listDirectory('/sys/class/net')) {
      const of = (file: string) => readAttribute(`/sys/class/net/${name}/${file}`)
      yield {
        interface: name,
        mac: of('address'),
        type: of('type'),
        mtu: of('mtu'),
        metric: 0,
        flags: Number.parseInt(of('flags'), 16) || 0,
        ipackets: of('statistics/rx_packets'),
        opackets: of('statistics/tx_packets'),
        ibytes: of('statistics/rx_bytes'),
        obytes: of('statistics/tx_bytes'),
        ierrors: of('statistics/rx_errors'),
        oerrors: of('statistics/tx_errors'),
        idrops: of('statistics/rx_dropped'),
        odrops: of('statistics/tx_dropped'),
        collisions: of('statistics/collisions'),
        last_change: -1,
        link_speed: Math.max(0, Number(of('speed')) || 0),
      }
    }
  },
}

/** Some attributes answer EINVAL while the link is down, and bonding leaves plain files among the interfaces. */
function readAttribute(path: string): string {
  return ifAllowed('', () => {
    try {
      return readLine(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== undefined) return ''
      throw error
    }
  })
}

const ROUTE_UP = 0x1
const ROUTE_GATEWAY = 0x2
/** The machine's own addresses stand in the IPv6 list too; they are no routes. */
const ROUTE_LOCAL = 0x80000000

export function parseIpv4Route(line: string): Row | undefined {
  const [name = '', destination = '', gateway = '', flagText = '', , , metric, mask = '', mtu] = line
    .trim()
    .split(/\s+/)
  const flags = Number.parseInt(flagText, 16)
  if (!(flags & ROUTE_UP)) return undefined
  const bits = Number.parseInt(mask, 16).toString(2).replaceAll('0', '').length
  return routeRow(decodeAddress(destination), bits, decodeAddress(gateway), flags, name, metric, mtu)
}

export function parseIpv6Route(line: string): Row | undefined {
  const words = line.trim().split(/\s+/)
  const [destination = '', prefix = '', , , gateway = '', metric = ''] = words
  const flags = Number.parseInt(words[8] ?? '0', 16)
  if (!(flags & ROUTE_UP) || words.length < 10 || flags & ROUTE_LOCAL) return undefined
  const address = (hex: string) => new URL(`http://[${(hex.match(/.{4}/g) ?? []).join(':')}]`).hostname.slice(1, -1)
  const bits = Number.parseInt(prefix, 16)
  return routeRow(address(destination), bits, address(gateway), flags, words[9] ?? '', Number.parseInt(metric, 16), 0)
}

function routeRow(
  destination: string,
  netmask: number,
  gateway: string,
  flags: number,
  name: string,
  metric: string | number | undefined,
  mtu: string | number | undefined,
): Row {
  const hasGateway = (flags & ROUTE_GATEWAY) !== 0
  return {
    destination,
    netmask,
    gateway: hasGateway ? gateway : '',
    source: '',
    flags,
    interface: name,
    mtu,
    metric,
    type: hasGateway ? 'gateway' : 'static',
    hopcount: 0,
  }
}

export const routes: Table = {
  name: 'routes',
  columns: columns(`destination netmask:integer gateway source flags:integer interface mtu:integer metric:integer type
    hopcount:integer`),
  *collect() {
    for (const line of readLines('/proc/net/route').slice(1)) {
      const row = parseIpv4Route(line)
      if (row) yield row
    }
    for (const line of readLines('/proc/net/ipv6_route')) {
      const row = parseIpv6Route(line)
      if (row) yield row
    }
  },
}

export const arpCache: Table = {
  name: 'arp_cache',
  columns: columns('address mac interface permanent'),
  *collect() {
    for (const line of readLines('/proc/net/arp').slice(1)) {
      const [address = '', , flags = '', mac = '', , name = ''] = line.trim().split(/\s+/)
      if (address !== '') yield { address, mac, interface: name, permanent: Number(flags) & 0x4 ? '1' : '0' }
    }
  },
}

export const dnsResolvers: Table = {
  name: 'dns_resolvers',
  columns: columns('id:integer type address netmask options:bigint'),
  *collect() {
    let id = 0
    for (const line of readLines('/etc/resolv.conf')) {
      const [keyword, ...values] = line.trim().split(/\s+/)
      const type = keyword === 'nameserver' ? 'nameserver' : keyword === 'search' ? 'search' : undefined
      if (!type) continue
      for (const address of values) yield { id: id++, type, address, netmask: '', options: 0 }
    }
  },
}
