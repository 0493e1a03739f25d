import { columns, type Query, type Row, type SqlValue, type Table } from '../tables/table.ts'
import { ifAllowed, linkTarget, listDirectory, readLines } from './read-files.ts'

type Socket = {
  inode: string
  family: number
  protocol: number
  localAddress: string
  localPort: number
  remoteAddress: string
  remotePort: number
  state: string
}
type Owner = { pid: number; fd: number }

const states = [
  'UNKNOWN',
  'ESTABLISHED',
  'SYN_SENT',
  'SYN_RECV',
  'FIN_WAIT1',
  'FIN_WAIT2',
  'TIME_WAIT',
  'CLOSED',
  'CLOSE_WAIT',
  'LAST_ACK',
  'LISTEN',
  'CLOSING',
]
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const sources = [
  { file: 'tcp', family: AF_INET, protocol: 6 },
  { file: 'tcp6', family: AF_INET6, protocol: 6 },
  { file: 'udp', family: AF_INET, protocol: 17 },
  { file: 'udp6', family: AF_INET6, protocol: 17 },
  { file: 'raw', family: AF_INET, protocol: 255 },
  { file: 'raw6', family: AF_INET6, protocol: 255 },
]

/** The kernel prints addresses as 32-bit words in host order: little-endian here, so each word is reversed. */
export function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse())
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff) {
    return `::ffff:${bytes.slice(12).join('.')}`
  }
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  )
  // The URL parser writes IPv6 in the canonical form of RFC 5952.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

export function parseSocketLine(line: string, family: number, protocol: number): Socket | undefined {
  const words = line.trim().split(/\s+/)
  const [localAddress, localPort] = (words[1] ?? '').split(':')
  const [remoteAddress, remotePort] = (words[2] ?? '').split(':')
  if (localPort === undefined || remotePort === undefined || localAddress === undefined) return undefined
  return {
    inode: words[9] ?? '0',
    family,
    protocol,
    localAddress: decodeAddress(localAddress),
    localPort: Number.parseInt(localPort, 16),
    remoteAddress: decodeAddress(remoteAddress ?? ''),
    remotePort: Number.parseInt(remotePort, 16),
    state: protocol === 6 ? (states[Number.parseInt(words[3] ?? '0', 16)] ?? 'UNKNOWN') : '',
  }
}

function readSockets(): Socket[] {
  return sources.flatMap(({ file, family, protocol }) =>
    readLines(`/proc/net/${file}`)
      .slice(1)
      .flatMap((line) => parseSocketLine(line, family, protocol) ?? []),
  )
}

/** Which process holds which socket, by inode. Sockets of processes that this user may not inspect have no owner. */
function socketOwners(query: Query): Map<string, Owner[]> {
  const owners = new Map<string, Owner[]>()
  for (const pid of listDirectory('/proc').filter((name) => /^\d+$/.test(name))) {
    query.remainingMs()
    for (const fd of ifAllowed<string[]>([], () => listDirectory(`/proc/${pid}/fd`))) {
      const target = ifAllowed<string | undefined>(undefined, () => linkTarget(`/proc/${pid}/fd/${fd}`))
      const inode = /^socket:\[(\d+)\]$/.exec(target ?? '')?.[1]
      if (inode) owners.set(inode, [...(owners.get(inode) ?? []), { pid: Number(pid), fd: Number(fd) }])
    }
  }
  return owners
}

const nobody: Owner[] = [{ pid: -1, fd: -1 }]

export const listeningPorts: Table = {
  name: 'listening_ports',
  columns: columns('pid:integer port:integer protocol:integer family:integer address fd:bigint socket:bigint path'),
  *collect(_constraints, query) {
    const owners = socketOwners(query)
    for (const socket of readSockets()) {
      const listens = socket.protocol === 6 ? socket.state === 'LISTEN' : socket.remotePort === 0
      if (!listens) continue
      for (const owner of owners.get(socket.inode) ?? nobody) {
        yield {
          pid: owner.pid,
          port: socket.localPort,
          protocol: socket.protocol,
          family: socket.family,
          address: socket.localAddress,
          fd: owner.fd,
          socket: socket.inode,
          path: '',
        }
      }
    }
    yield* listeningUnixSockets(owners)
  },
}

function* listeningUnixSockets(owners: Map<string, Owner[]>): Iterable<Row> {
  for (const line of readLines('/proc/net/unix').slice(1)) {
    const [, , , flags = '', , , inode = '', path = ''] = line.trim().split(/\s+/)
    // __SO_ACCEPTCON: someone called listen() on it.
    if ((Number.parseInt(flags, 16) & 0x10000) === 0) continue
    for (const owner of owners.get(inode) ?? nobody) {
      yield { pid: owner.pid, port: 0, protocol: 0, family: AF_UNIX, address: '', fd: owner.fd, socket: inode, path }
    }
  }
}

export const processOpenSockets: Table = {
  name: 'process_open_sockets',
  columns: columns(`pid:integer fd:bigint socket:bigint family:integer protocol:integer local_address remote_address
    local_port:integer remote_port:integer path state`),
  *collect(_constraints, query) {
    const owners = socketOwners(query)
    for (const socket of readSockets()) {
      for (const owner of owners.get(socket.inode) ?? nobody) {
        const row: Record<string, SqlValue> = {
          pid: owner.pid,
          fd: owner.fd,
          socket: socket.inode,
          family: socket.family,
          protocol: socket.protocol,
          local_address: socket.localAddress,
          remote_address: socket.remoteAddress,
          local_port: socket.localPort,
          remote_port: socket.remotePort,
          path: '',
          state: socket.state,
        }
        yield row
      }
    }
  },
}
