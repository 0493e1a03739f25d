import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompanionState } from '../companion-state.ts'
import { agoOf, linkWords } from '../companion-status.ts'
import type { WhoAsks } from '../who-asks.ts'
import { look, ok, okIf, type Row, unknown } from './row.ts'

const foreignOrigin = 'https://selftest.invalid'

/** How the companion stands by its own state, which port it has, and what pages hear there. */
export async function lookAtLoopback(state: CompanionState | undefined, now: string): Promise<Row[]> {
  if (!state)
    return [look('Link', 'no companion has run here'), unknown('Ports', 'the server tells them at the first check-in')]
  const { trust, checkedIn } = state
  if (!trust || !checkedIn)
    return [look('Link', 'not enrolled yet'), unknown('Ports', 'the server tells them at the first check-in')]
  const linkRow = okIf(
    checkedIn.status === 'linked',
    'Link',
    `${linkWords[checkedIn.status]}; last check-in ${agoOf(checkedIn.at, now)}`,
  )
  const held = await Promise.all(trust.ports.map(async (port) => ({ port, isHeld: await isHeld(port) })))
  const others = held.filter(({ port, isHeld: is }) => is && port !== checkedIn.port).map(({ port }) => port)
  const taken = others.length === 0 ? 'no other program on the rest' : `other programs on ${others.join(', ')}`
  if (checkedIn.port === null) return [linkRow, look('Ports', `no port was free; ${taken}`)]
  const [own, foreign] = [await greets(checkedIn.port, trust.origin), await greets(checkedIn.port, foreignOrigin)]
  return [
    linkRow,
    ok('Ports', `${checkedIn.port} is the companion's; ${taken}`),
    okIf(own === 204, 'Answer to the sign-in page', own === 204 ? 'greeted' : `not greeted: ${own ?? 'no connection'}`),
    okIf(foreign !== 204, 'Answer to another site', foreign === 204 ? 'greeted, which it must not be' : 'not greeted'),
  ]
}

/** Whether something listens at the port of this machine. */
async function isHeld(port: number): Promise<boolean> {
  const socket = net.connect({ host: '127.0.0.1', port })
  const timer = setTimeout(() => socket.destroy(), 2_000)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/** What a page of this origin hears; undefined where nothing answers. Pages that ask at the same time may have used up the second. */
async function greets(port: number, origin: string): Promise<number | undefined> {
  for (let tries = 1; ; tries += 1) {
    const status = await greetOnce(port, origin)
    if (status !== 429 || tries === 3) return status
    await sleep(1_100)
  }
}

async function greetOnce(port: number, origin: string): Promise<number | undefined> {
  const request = http.get({
    host: '127.0.0.1',
    port,
    path: '/v1/hello',
    headers: { origin },
    agent: false,
    timeout: 2_000,
  })
  request.on('timeout', () => request.destroy(new Error('timeout')))
  try {
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.resume()
    return response.headers['access-control-allow-origin'] === origin || response.statusCode !== 204
      ? response.statusCode
      : undefined
  } catch {
    return undefined
  }
}

/** Whether a connection of this program is told as this program's, and how many people are logged in. */
export async function lookAtPeople({ peer, people }: WhoAsks): Promise<Row[]> {
  const [found, count] = await Promise.all([ownPeer(peer), people()])
  return [
    found === null
      ? unknown('Who asks', 'unknown: the system does not tell who holds a connection')
      : okIf(
          found.uid === process.getuid?.(),
          'Who asks',
          `this program is told as user ${found.uid}, program ${found.program ?? 'unknown'}`,
        ),
    count === null
      ? unknown('People', 'unknown: the system does not tell who is logged in')
      : ok(
          'People',
          count === 1
            ? '1 is logged in'
            : `${count} are logged in${count > 1 ? ': nobody registers this device by a click' : ''}`,
        ),
  ]
}

async function ownPeer(peer: WhoAsks['peer']) {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  const client = net.connect(port, '127.0.0.1')
  try {
    const [accepted] = (await once(server, 'connection')) as [net.Socket]
    const found = await peer(accepted.remotePort ?? 0, port)
    accepted.destroy()
    return found
  } finally {
    client.destroy()
    server.close()
  }
}
