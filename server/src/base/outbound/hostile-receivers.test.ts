import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { type CertificateExtension, generate } from 'selfsigned'
import { pour, rawReceivers } from '../../../test/support/raw-receivers.ts'

const { identity, listening, rawReceiver, posting, failure, servers } = rawReceivers()

/** How many bytes, of TLS, came in over the connections that were made meanwhile. */
async function bytesRead(work: () => Promise<void>): Promise<number> {
  const sockets: Socket[] = []
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('undici:client:connected', note)
  await work()
  unsubscribe('undici:client:connected', note)
  assert.ok(sockets.length > 0)
  return sockets.reduce((sum, { bytesRead: count }) => sum + count, 0)
}

/** Of which 64 KiB are taken, and what is on its way by then. */
const maxBytes = 512 * 1024

const http = 'HTTP/1.1 200 OK\r\n'
type Pouring = [title: string, beginning: string, again: string, expected: [string, unknown]]

const chunked = `${http}Transfer-Encoding: chunked\r\n\r\n`
const poured: Pouring[] = [
  ['a body to the end of the connection', `${http}\r\n`, 'a', ['answered', 200]],
  ['a body of a gibibyte', `${http}Content-Length: 1073741824\r\n\r\n`, 'a', ['answered', 200]],
  ['large chunks without an end', chunked, `4000\r\n${'a'.repeat(16_384)}\r\n`, ['answered', 200]],
  ['chunks of a byte with long extensions', chunked, `1;${'e'.repeat(8_000)}\r\na\r\n`, ['connection', true]],
  ['early hints', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', ['connection', true]],
  ['that it continues', '', 'HTTP/1.1 100 Continue\r\n\r\n', ['connection', true]],
  ['one header', `${http}X-Long: `, 'a', ['connection', true]],
  ['headers', http, 'X-One: 1\r\n', ['connection', true]],
  ['trailers', `${chunked}0\r\n`, 'X-One: 1\r\n', ['connection', true]],
]
for (const [title, beginning, again, expected] of poured) {
  test(`a receiver that pours out ${title} is not read for long`, async (t) => {
    const port = await rawReceiver((socket) => pour(socket, beginning, again))
    const startedAt = performance.now()
    const read = await bytesRead(async () => {
      assert.deepEqual(failure(await posting({ deadlineMs: 3_000 }, (post) => post(port))), expected)
    })
    t.diagnostic(`${read} bytes in ${Math.round(performance.now() - startedAt)} ms`)
    assert.ok(read < maxBytes, `${read} bytes`)
  })
}

const stuck: [title: string, speak: (socket: Socket) => void][] = [
  ['says nothing', () => {}],
  ['drips its headers', (socket) => drip(socket, `${http}X-Long: ${'a'.repeat(1_000)}`)],
  ['drips its body', (socket) => drip(socket, `${http}Content-Length: 1000\r\n\r\n${'a'.repeat(1_000)}`, 40)],
  [
    'never ends its chunks',
    (socket) => drip(socket, `${http}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(500)}`, 60),
  ],
  ['floods early hints', (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')],
  ['announces more than it sends', (socket) => socket.write(`${http}Content-Length: 10\r\n\r\nabc`)],
]

function drip(socket: Socket, text: string, atOnce = 1): void {
  let at = atOnce
  socket.write(text.slice(0, atOnce))
  const timer = setInterval(() => {
    if (socket.destroyed || at >= text.length) return clearInterval(timer)
    socket.write(text.slice(at, at + 1))
    at += 1
  }, 20)
}

function flood(socket: Socket, text: string): void {
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer)
    socket.write(text)
  }, 1)
}

for (const [title, speak] of stuck) {
  test(`a receiver that ${title} is left at the deadline`, async () => {
    const port = await rawReceiver(speak)
    const outcome = await posting({ deadlineMs: 1_000 }, (post) => post(port))
    assert.deepEqual(failure(outcome), ['timeout', true])
  })
}

const broken: [title: string, speak: (socket: Socket) => void][] = [
  ['closes without an answer', (socket) => socket.destroy()],
  [
    'resets after the headers',
    (socket) => socket.write(`${http}Content-Length: 10\r\n\r\nabc`, () => socket.destroy()),
  ],
  ['sends headers of a megabyte', (socket) => socket.write(`${http}X-Long: ${'a'.repeat(1_000_000)}\r\n\r\n`)],
  ['speaks no HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
  [
    'changes the protocol',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
]
for (const [title, speak] of broken) {
  test(`a receiver that ${title} fails the attempt, which may have arrived`, async () => {
    const port = await rawReceiver(speak)
    assert.deepEqual(failure(await posting({}, (post) => post(port))), ['connection', true])
  })
}

const bomb = gzipSync(Buffer.alloc(50_000_000))
const bombAnswer = Buffer.concat([
  Buffer.from(`${http}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`),
  bomb,
])
const taken: [title: string, speak: (socket: Socket) => void, status: number, body: Buffer][] = [
  ['204', (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), 204, Buffer.alloc(0)],
  [
    '202 with a body and the end of its side',
    (socket) => socket.end('HTTP/1.1 202 Accepted\r\n\r\n{"a":1}'),
    202,
    Buffer.from('{"a":1}'),
  ],
  [
    '202 and closes at once',
    (socket) => socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n', () => socket.destroy()),
    202,
    Buffer.alloc(0),
  ],
  ['a redirect without an address', (socket) => socket.end('HTTP/1.1 302 Found\r\n\r\n'), 302, Buffer.alloc(0)],
  [
    'a redirect to itself',
    (socket) => socket.end('HTTP/1.1 307 Temporary Redirect\r\nLocation: /hook?a=b\r\n\r\n'),
    307,
    Buffer.alloc(0),
  ],
  ['what would unpack to 50 MB', (socket) => socket.write(bombAnswer), 200, bomb.subarray(0, 4_096)],
]
for (const [title, speak, status, body] of taken) {
  test(`a receiver that answers ${title} is asked once and taken at its word`, async () => {
    const asked: string[] = []
    const port = await rawReceiver((socket, request) => {
      asked.push(request.toString())
      speak(socket)
    })
    const outcome = await posting({}, (post) => post(port))
    assert.ok(outcome.kind === 'answered')
    assert.deepEqual([outcome.status, outcome.body], [status, body])
    assert.equal(asked.length, 1)
    assert.doesNotMatch(asked[0] ?? '', /accept-encoding/i)
  })
}

test('a receiver that resets the connection once it has everything may have it', async () => {
  const raw: Socket[] = []
  const port = await rawReceiver(() => raw[0]?.resetAndDestroy())
  servers.at(-1)?.on('connection', (socket: Socket) => raw.push(socket))
  assert.deepEqual(failure(await posting({}, (post) => post(port))), ['connection', true])
})

test('a receiver that takes the connection and reads nothing is left at the deadline', async () => {
  const port = await listening(createTlsServer(identity, (socket) => void socket.on('error', () => {}).pause()))
  const body = Buffer.alloc(64_000_000)
  const outcome = await posting({ deadlineMs: 3_000 }, (post) => post(port, '/', { body }))
  assert.deepEqual(failure(outcome), ['timeout', true])
})

test('a certificate that is over, or of an authority that nobody knows, is refused', async () => {
  const extensions: CertificateExtension[] = [
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'receiver.test' }] },
  ]
  for (const [notAfterDate, isKnown] of [
    [new Date(Date.now() - 86_400_000), true],
    [new Date(Date.now() + 86_400_000), false],
  ] as const) {
    const notBeforeDate = new Date(Date.now() - 2 * 86_400_000)
    const attributes = [{ name: 'commonName', value: 'receiver.test' }]
    const own = await generate(attributes, { keyType: 'ec', notBeforeDate, notAfterDate, extensions })
    const port = await listening(createTlsServer({ key: own.private, cert: own.cert }))
    const extraAuthorities = isKnown ? [own.cert] : []
    assert.deepEqual(failure(await posting({ extraAuthorities }, (post) => post(port))), ['tls', false])
  }
})
