import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { after } from 'node:test'
import { nameServerResolve } from '../../src/base/outbound/resolve-name.ts'
import { openNameServer, type Zone } from './name-server.ts'

const vectors = new URL('../../src/base/outbound/test-vectors/addresses.json', import.meta.url)
const { refused, accepted }: { refused: string[]; accepted: string[] } = JSON.parse(readFileSync(vectors, 'utf8'))

const inward = '127.0.0.1'
const publicly = (last: number) => `1.1.1.${last}`
const unreachable = 'null The host could not be looked up, or has no public address'
const tricks: [title: string, zone: Zone, expected: string][] = [
  ['a public address and an inward one of the other kind', { addresses: [publicly(1), '::1'] }, unreachable],
  [
    'an inward address among 64',
    { addresses: [...Array.from({ length: 63 }, (_, index) => publicly(index)), inward] },
    unreachable,
  ],
  ['an alias of an alias of this machine', { alias: 'one.receivers.example' }, unreachable],
  ['an inward address for no time', { addresses: [inward], ttl: 0 }, unreachable],
  ['an inward IPv4 address in an IPv6 one', { addresses: ['::ffff:10.0.0.1'] }, unreachable],
  ['no address', { addresses: [] }, unreachable],
  ['a failure', { fault: 'SERVFAIL' }, unreachable],
  ['that there is no such name', { fault: 'NXDOMAIN' }, unreachable],
  ['nothing at all', { isSilent: true }, unreachable],
]

/**
 * A name server whose names lead to this machine and other places that receivers may not be, and a port here on which
 * any connection is a defect. Call it at the top level.
 */
export async function inwardNames() {
  const nameServer = await openNameServer()
  let connections = 0
  const inside = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '::')
  await once(inside, 'listening')
  const { port } = inside.address() as AddressInfo
  after(() => nameServer.close())
  after(() => inside.close())
  return {
    ...{ nameServer, port, refused, accepted, inward, publicly },
    resolve: nameServerResolve({ servers: [nameServer.address], timeoutMs: 500 }),
    connections: (): number => connections,
    reset(): void {
      nameServer.zones.clear()
      nameServer.asked.length = 0
      connections = 0
    },
    /** The address of a receiver of this name, about which the name server says this. */
    urlOf(name: string, zone?: Zone): string {
      const host = `${name}.receivers.example`
      if (zone) nameServer.zones.set(host, zone)
      return `https://${host}:${port}/events`
    },
    /** What a name can be answered with besides public addresses, and how an attempt ends then. */
    tricks,
    /** What the alias among them leads to. */
    addAlias(): void {
      nameServer.zones.set('one.receivers.example', { alias: 'two.receivers.example', ttl: 0 })
      nameServer.zones.set('two.receivers.example', { addresses: [inward], ttl: 0 })
    },
  }
}
