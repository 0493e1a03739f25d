import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { afterEach, test } from 'node:test'
import { type Loopback, openLoopback } from './loopback.ts'
import type { ProofInput } from './prove.ts'

const origin = 'https://muster.example.com'
const opened: { close: () => unknown }[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => net.createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

async function open(ports: number[], pinned: string | undefined = origin) {
  const asked: ProofInput[] = []
  let wakes = 0
  const loopback = await openLoopback(ports, {
    origin: () => pinned,
    prove: async (input) => {
      asked.push(input)
      return input.challenge === 'good' ? 'a-proof' : undefined
    },
    wake: () => {
      wakes += 1
    },
  })
  if (loopback) opened.push(loopback)
  return { loopback: loopback as Loopback, asked, wakes: () => wakes }
}

type Answer = { status: number; headers: http.IncomingHttpHeaders; text: string }
type Asked = { method?: string; headers?: http.OutgoingHttpHeaders; body?: string }

function call(port: number, path: string, { method = 'GET', headers = {}, body = '' }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** What comes back to raw bytes, until the other side has nothing more to say. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString()
    if (text.includes('\r\n\r\n')) socket.end()
  })
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

const attest = (port: number, challenge: string, headers: http.OutgoingHttpHeaders = {}) =>
  call(port, '/v1/attest', { method: 'POST', headers: { origin, ...headers }, body: JSON.stringify({ challenge }) })

const seen = ({ status, text, headers }: Answer) => [
  ...[status, text, headers['access-control-allow-origin'], headers['access-control-allow-methods'], headers.vary],
]

test('every request that is not of the pinned page or of a navigation gets the same empty 404', async () => {
  const { loopback, asked, wakes } = await open(await freePorts(1))
  const { port } = loopback
  const evil = 'https://evil.example'
  const cors = { origin, 'sec-fetch-mode': 'cors' }
  const refused = [
    await call(port, '/'),
    await call(port, '/v1/hello'),
    await call(port, '/v1/hello', { headers: { origin: evil } }),
    await call(port, '/v1/hello', { headers: { origin: 'null' } }),
    await call(port, '/v1/hello', { headers: { origin: `${origin}.evil.example` } }),
    await call(port, '/v1/hello', { headers: { origin: origin.replace('https', 'http') } }),
    await call(port, '/v1/hello', { headers: { origin, 'sec-fetch-mode': 'navigate' } }),
    await call(port, '/v1/hello', { headers: { origin, 'sec-fetch-mode': 'no-cors' } }),
    await call(port, '/v1/hello', { headers: { origin, 'sec-fetch-mode': 'websocket' } }),
    await call(port, '/v1/hello', { method: 'POST', headers: cors }),
    await call(port, '/v1/hello/', { headers: cors }),
    await call(port, '/v1/../v1/hello', { headers: cors }),
    await call(port, '/v1/attest', { headers: cors }),
    await attest(port, 'good', { origin: evil }),
    await attest(port, 'good', { 'sec-fetch-mode': 'no-cors' }),
    await attest(port, 'good', { 'sec-fetch-mode': 'same-origin' }),
    await call(port, '/v1/return?c=good', { headers: { 'sec-fetch-mode': 'cors', origin } }),
    await call(port, '/v1/return?c=good', { headers: { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' } }),
    await call(port, '/v1/return?c=good', { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' } }),
    await call(port, '/v1/return?c=good', { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'frame' } }),
    await call(port, '/v1/return?c=good', { method: 'POST', headers: { origin } }),
    await call(port, '/v1/hello', { method: 'OPTIONS', headers: { origin: evil } }),
    await call(port, '/v1/attest', { method: 'OPTIONS' }),
    await call(port, '/v1/return', { method: 'OPTIONS', headers: { origin } }),
    await call(port, `http://127.0.0.1:${port}/v1/hello`, { headers: cors }),
    await call(port, 'http://evil.example/v1/hello', { headers: { ...cors, host: `127.0.0.1:${port}` } }),
    await call(port, '//evil.example/v1/hello', { headers: cors }),
    await call(port, '/v1/hello', { headers: { ...cors, connection: 'upgrade', upgrade: 'websocket' } }),
  ]
  for (const answer of refused) assert.deepEqual(seen(answer), [404, '', undefined, undefined, undefined])
  assert.deepEqual([asked, wakes()], [[], 0])
})

test('a request in the older HTTP, and one that opens a tunnel, is refused', async () => {
  const { loopback } = await open(await freePorts(1))
  const { port } = loopback
  const headers = `host: 127.0.0.1:${port}\r\norigin: ${origin}\r\n\r\n`
  assert.match(await raw(port, `GET /v1/hello HTTP/1.0\r\n${headers}`), /^HTTP\/1\.1 404 /)
  assert.match(await raw(port, `GET /v1/hello HTTP/1.1\r\n${headers}`), /^HTTP\/1\.1 204 /)
  assert.equal(await raw(port, `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${headers}`), '')
  assert.match(await raw(port, `GET /v1/hello HTTP/1.1\r\norigin: ${origin}\r\n\r\n`), /^HTTP\/1\.1 400 /)
})

test('any other name of this machine is refused, as a page brings one by DNS rebinding', async () => {
  const { loopback } = await open(await freePorts(1))
  const { port } = loopback
  const statusOf = async (host: string) => (await call(port, '/v1/hello', { headers: { host, origin } })).status
  for (const host of ['rebound.evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`]) {
    assert.equal(await statusOf(host), 421, host)
  }
  for (const host of [`[::1]:${port}`, `127.0.0.2:${port}`, `0.0.0.0:${port}`, `localhost.:${port}`]) {
    assert.equal(await statusOf(host), 421, host)
  }
  assert.equal(await statusOf(`127.0.0.1:${port}`), 204)
  assert.equal(await statusOf(`localhost:${port}`), 204)
})

test('before the first contact nobody gets an answer', async () => {
  const ports = await freePorts(1)
  const loopback = await openLoopback(ports, { origin: () => undefined, prove: async () => 'a-proof', wake: () => {} })
  if (loopback) opened.push(loopback)
  const [port = 0] = ports
  assert.equal((await call(port, '/v1/hello', { headers: { origin } })).status, 404)
  assert.equal((await call(port, '/v1/return?c=good')).status, 404)
})

test('a body above 8 kB is refused before it is read to its end', async () => {
  const { loopback, asked } = await open(await freePorts(1))
  assert.equal((await attest(loopback.port, 'x'.repeat(8_300))).status, 413)
  assert.equal((await attest(loopback.port, 'x'.repeat(100))).status, 403)
  assert.equal(asked.length, 1)
})

test('navigations that any page can start do not use up what the sign-in page may ask', async () => {
  const { loopback } = await open(await freePorts(1))
  const { port } = loopback
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const many = await Promise.all(Array.from({ length: 30 }, () => call(port, '/v1/return?c=bad', { headers })))
  assert.ok(many.some(({ status }) => status === 429))
  const strangers = Array.from({ length: 30 }, () =>
    call(port, '/v1/hello', { headers: { origin: 'https://evil.example' } }),
  )
  assert.deepEqual([...new Set((await Promise.all(strangers)).map(({ status }) => status))], [404])
  assert.equal((await attest(port, 'good')).status, 200)
})

test('connections that send nothing, or send slowly, keep no browser out', async () => {
  const { loopback } = await open(await freePorts(1))
  const { port } = loopback
  const idle: net.Socket[] = []
  for (let count = 0; count < 300; count += 1) {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    if (count % 2) socket.write('POST /v1/attest HTTP/1.1\r\nhost: 127')
    idle.push(socket)
  }
  opened.push({ close: () => idle.map((socket) => socket.destroy()) })
  assert.equal((await attest(port, 'good')).status, 200)
  assert.equal((await call(port, '/v1/hello', { headers: { origin } })).status, 204)
})

test('a port that is taken is left, and the next one is used', async () => {
  const [taken = 0, free = 0] = await freePorts(2)
  const other = http.createServer((_request, response) => response.end('somebody else')).listen(taken, '127.0.0.1')
  await once(other, 'listening')
  opened.push({ close: () => other.close() })
  const { loopback } = await open([taken, free])
  assert.equal(loopback.port, free)
  const { loopback: none } = await open([taken])
  assert.equal(none, undefined)
})

test('nothing listens outside of 127.0.0.1', async () => {
  const { loopback } = await open(await freePorts(1))
  for (const host of ['::1', '127.0.0.2']) {
    const socket = net.connect(loopback.port, host)
    const [error] = await Promise.race([once(socket, 'error'), once(socket, 'connect')])
    socket.destroy()
    assert.ok(error instanceof Error, host)
  }
})

test('the user of the process at the other end is told, where the system says who it is', async () => {
  const { loopback, asked } = await open(await freePorts(1))
  await attest(loopback.port, 'good')
  const expected = process.platform === 'linux' ? process.getuid?.() : undefined
  assert.equal(asked[0]?.user?.uid, expected)
})
