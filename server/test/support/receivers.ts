import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { decodeJwt } from 'jose'
import { generate } from 'selfsigned'
import { openOutbound } from '../../src/base/outbound/outbound.ts'

/** Receivers of the tests are real servers on loopback, which this name leads to for the outbound client of the tests. */
const host = 'receiver.test'
const identity = await generate([{ name: 'commonName', value: host }], {
  keyType: 'ec',
  extensions: [
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: host },
        { type: 2, value: 'localhost' },
      ],
    },
  ],
})

/** In PEM: what another program serves receivers with, so that who trusts ours trusts it. */
export const identityOfReceivers: { readonly cert: string; readonly private: string } = identity

/** PEM that processes of the product have to trust (NODE_EXTRA_CA_CERTS) to reach receivers at their `localUrl`. */
export const authorityOfReceivers = identity.cert

/** The product's own client, which trusts the receivers of the tests and finds them. */
export const outboundOfTests = (settings: { deadlineMs?: number } = {}) =>
  openOutbound({
    allowPrivate: true,
    extraAuthorities: [identity.cert],
    resolve: (_host, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    ...settings,
  })

export type Received = {
  jti: string
  token: string
  /** Of the device that it is about. */
  deviceId: string | undefined
  txn: string | undefined
  authorization: string | undefined
  contentType: string | undefined
  atMs: number
}

type Answer<Seen> = (received: Seen, response: ServerResponse, request: IncomingMessage) => void

export type ReceiverOf<Seen> = {
  readonly url: string
  /** The same for who resolves names as the system does. */
  readonly localUrl: string
  /** In the order of their arrival, accepted or not. */
  readonly received: Seen[]
  /** How it answers from now on; 202 at first. */
  answer: Answer<Seen>
  close(): Promise<void>
}

/** Of the tokens of a stream. */
export type Receiver = ReceiverOf<Received>

export const accept: Answer<unknown> = (_received, response) => void response.writeHead(202).end()
export const answerWith =
  (status: number, body = '', headers: Record<string, string> = {}): Answer<unknown> =>
  (_received, response) =>
    void response.writeHead(status, headers).end(body)
/** Takes the request and never answers. */
export const hang: Answer<unknown> = () => {}
/** Accepts, with a body that does not end in time. */
export const drip: Answer<unknown> = (_received, response) => {
  response.writeHead(202)
  const dripping = setInterval(() => response.write(' '), 250)
  response.on('close', () => clearInterval(dripping))
}
export const reset: Answer<unknown> = (_received, _response, request) => void request.socket.destroy()

export const openReceiver = (path = '/events'): Promise<Receiver> => openReceiverOf(path, describe)

/** A receiver that notes of each request what `describe` makes of its body and headers. */
export async function openReceiverOf<Seen>(
  path: string,
  describe: (body: string, request: IncomingMessage) => Seen,
): Promise<ReceiverOf<Seen>> {
  const received: Seen[] = []
  const sockets = new Set<Socket>()
  const receiver = { received, answer: accept as Answer<Seen> }
  const server: Server = createServer({ key: identity.private, cert: identity.cert }, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      const seen = describe(body, request)
      received.push(seen)
      receiver.answer(seen, response, request)
    })
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, {
    url: `https://${host}:${port}${path}`,
    localUrl: `https://localhost:${port}${path}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
}

function describe(token: string, request: IncomingMessage): Received {
  const claims = decodeJwt<{ sub_id?: { device?: { sub?: string } }; txn?: string }>(token)
  const { jti = '', sub_id: subject, txn } = claims
  const { authorization, 'content-type': contentType } = request.headers
  return { jti, token, deviceId: subject?.device?.sub, txn, authorization, contentType, atMs: Date.now() }
}
