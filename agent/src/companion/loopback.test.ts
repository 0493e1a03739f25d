import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { afterEach, test } from 'node:test'
import { type Loopback, openLoopback } from './loopback.ts'
import type { ProofInput } from './prove.ts'
import { whoAsks } from './who-asks.ts'

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

async function open(ports: number[]) {
  const asked: ProofInput[] = []
  const loopback = await openLoopback(ports, {
    origin: () => origin,
    prove: async (input) => {
      asked.push(input)
      return input.challenge === 'good' ? { proof: 'a-proof' } : { refused: 'malformed' }
    },
    wake: () => {},
    whoAsks: whoAsks(process.platform, async () => undefined),
  })
  if (loopback) opened.push(loopback)
  return { loopback: loopback as Loopback, asked }
}

type Answer = { status: number; headers: http.IncomingHttpHeaders; text: string }
type Asked = { method?: string; headers?: http.OutgoingHttpHeaders; body?: string; agent?: http.Agent | false }

function call(port: number, path: string, asked: Asked = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body = '', agent = false } = asked
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
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

const attest = (port: number, challenge: string, agent: http.Agent | false = false) =>
  call(port, '/v1/attest', { method: 'POST', headers: { origin }, body: JSON.stringify({ challenge }), agent })

test('a body above 8 kB is refused before it is read to its end', async () => {
  const { loopback, asked } = await open(await freePorts(1))
  assert.equal((await attest(loopback.port, 'x'.repeat(8_300))).status, 413)
  const refused = await attest(loopback.port, 'x'.repeat(100))
  assert.deepEqual([refused.status, refused.text], [403, '{"refused":"malformed"}'])
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

test('a port that is taken is left and told, and the next one is used', async () => {
  const [taken = 0, free = 0] = await freePorts(2)
  const other = http.createServer((_request, response) => response.end('somebody else')).listen(taken, '127.0.0.1')
  await once(other, 'listening')
  opened.push({ close: () => other.close() })
  const { loopback } = await open([taken, 70_000, free])
  assert.deepEqual([loopback.port, loopback.takenPorts], [free, [taken, 70_000]])
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

test('the process at the other end is looked for when a proof is made', async () => {
  const { loopback, asked } = await open(await freePorts(1))
  const agent = new http.Agent({ keepAlive: true })
  opened.push({ close: () => agent.destroy() })
  await attest(loopback.port, 'good', agent)
  const uid = process.getuid?.()
  assert.deepEqual(await asked[0]?.peer(), process.platform === 'linux' ? { uid, program: 'node' } : null)
})
