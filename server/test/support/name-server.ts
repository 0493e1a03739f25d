import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** What is answered about a name. */
export type Zone = {
  addresses?: readonly string[]
  alias?: string
  fault?: 'NXDOMAIN' | 'SERVFAIL'
  isSilent?: boolean
  ttl?: number
}

export type NameServer = {
  /** For `setServers`. */
  readonly address: string
  /** Names in the order in which they were asked for, once for each kind of address. */
  readonly asked: string[]
  /** What it knows; a name that is not here does not exist. */
  readonly zones: Map<string, Zone>
  close(): Promise<void>
}

const codes = { NXDOMAIN: 3, SERVFAIL: 2 } as const
const [typeA, typeAlias, typeAaaa] = [1, 5, 28]

/** A name server on loopback (RFC 1035), which answers A and AAAA as it is told. */
export async function openNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  const zones = new Map<string, Zone>()
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const answer = answerTo(query.subarray(0, end), name, type, zones)
    if (answer) socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    zones,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Of the header and question `asked`; undefined is silence. Aliases are followed to their end. */
function answerTo(asked: Buffer, name: string, type: number, zones: Map<string, Zone>): Buffer | undefined {
  const records: Buffer[] = []
  let owner = name
  let zone = zones.get(owner)
  while (zone?.alias !== undefined) {
    records.push(recordOf(owner, typeAlias, zone.ttl, nameBytes(zone.alias)))
    owner = zone.alias
    zone = zones.get(owner)
  }
  if (zone?.isSilent) return undefined
  for (const address of zone?.addresses ?? []) {
    const ofType = address.includes(':') ? typeAaaa : typeA
    if (ofType === type) records.push(recordOf(owner, type, zone?.ttl, addressBytes(address)))
  }
  const header = Buffer.from(asked)
  const fault = zone ? zone.fault : 'NXDOMAIN'
  header.writeUInt16BE(0x8180 | (fault ? codes[fault] : 0), 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt16BE(0, 8)
  header.writeUInt16BE(0, 10)
  return Buffer.concat([header, ...records])
}

function recordOf(owner: string, type: number, ttl = 60, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(owner), fixed, data])
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ])

function addressBytes(address: string): Buffer {
  const quad = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const last = Buffer.from((quad ?? []).slice(1).map(Number))
  if (quad && quad.index === 0) return last
  const [head = '', tail] = (quad ? address.slice(0, quad.index).replace(/([^:]):$/, '$1') : address).split('::')
  const groups = (text = '') => Buffer.from(text.split(':').flatMap(groupBytes))
  const [before, after] = [groups(head), Buffer.concat([groups(tail), last])]
  return Buffer.concat([before, Buffer.alloc(16 - before.length - after.length), after])
}

const groupBytes = (group: string): number[] =>
  group === '' ? [] : [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]
