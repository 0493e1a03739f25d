import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { after } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { generate } from 'selfsigned'
import { type OutboundSettings, openOutbound, type Post, type PostOutcome } from '../../src/base/outbound/outbound.ts'

const certificate = await generate([{ name: 'commonName', value: 'receiver.test' }], {
  keyType: 'ec',
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'receiver.test' }] }],
})
const identity = { key: certificate.private, cert: certificate.cert }
type Handler = NonNullable<Parameters<typeof createHttpsServer>[1]>

/** What the outbound client is tried against: servers that may speak any bytes. Call it at the top level. */
export function rawReceivers() {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  after(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })

  async function listening(server: Server): Promise<number> {
    servers.push(server)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  return {
    certificate,
    identity,
    servers,
    listening,
    receiver: (handler: Handler) => listening(createHttpsServer(identity, handler)),
    /** A TLS server that speaks bytes of its own to whoever asks. */
    rawReceiver: (speak: (socket: Socket, request: Buffer) => void) =>
      listening(
        createTlsServer(identity, (socket) => {
          socket.on('error', () => {})
          socket.once('data', (request) => speak(socket, request))
        }),
      ),
    posting,
    toLoopback,
    failure,
  }
}

const toLoopback = (addresses: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]) => ({
  resolve: ((_host, callback) => callback(null, addresses)) satisfies OutboundSettings['resolve'],
})

type Posting = (port: number, path?: string, members?: Partial<Post>) => Promise<PostOutcome>

async function posting<Result>(
  settings: Partial<OutboundSettings>,
  work: (post: Posting) => Promise<Result>,
): Promise<Result> {
  const extraAuthorities = [certificate.cert]
  const common = { allowPrivate: true, deadlineMs: 1_000, extraAuthorities, ...toLoopback() }
  const outbound = openOutbound({ ...common, ...settings })
  try {
    return await work((port, path = '/hook?a=b', members = {}) => {
      const url = `https://receiver.test:${port}${path}`
      return outbound.post({ url, headers: { 'x-one': '1' }, body: 'signed', ...members })
    })
  } finally {
    await outbound.close()
  }
}

const failure = (outcome: PostOutcome) =>
  outcome.kind === 'failed' ? [outcome.fault, outcome.mayHaveArrived] : [outcome.kind, outcome.status]

/** Writes `again` after `beginning` for as long as it is read, as fast as it is. */
export function pour(socket: Socket, beginning: string, again: string): void {
  const chunk = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)))
  const more = () => {
    while (!socket.destroyed) if (!socket.write(chunk)) return void socket.once('drain', more)
  }
  socket.write(beginning)
  more()
}
