import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { afterEach, test } from 'node:test'
import { openLoopback } from './loopback.ts'
import { nothingTold } from './who-asks.ts'

const origin = 'https://muster.example.com'
const opened: { close: () => Promise<void> }[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function open(pinned: string | undefined = origin) {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  await once(probe.close(), 'close')
  const calls: string[] = []
  const loopback = await openLoopback([port], {
    origin: () => (pinned === '' ? undefined : pinned),
    prove: async ({ via }) => {
      calls.push(via)
      return { proof: 'a-proof' }
    },
    wake: () => calls.push('wake'),
    whoAsks: nothingTold,
  })
  assert.ok(loopback)
  opened.push(loopback)
  return { port, calls }
}

type Asked = {
  method?: string
  path?: string
  http?: string
  headers?: Record<string, string | undefined>
  body?: string
}

/** The whole answer, without its date. */
async function ask(port: number, asked: Asked): Promise<string> {
  const { method = 'GET', path = '/v1/hello', http = '1.1', body = '' } = asked
  const headers = { host: `127.0.0.1:${port}`, origin, connection: 'close', ...asked.headers }
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\r\n`))
  const length = body === '' ? '' : `content-length: ${body.length}\r\n`
  const socket = net.connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  socket.write(`${method} ${path} HTTP/${http}\r\n${lines.join('')}${length}\r\n${body}`)
  await once(socket, 'close')
  return text.replace(/^date: .*\r\n/im, '')
}

const nothingHere = `HTTP/1.1 404 Not Found\r
connection: close\r
content-length: 0\r
cache-control: no-store\r
x-content-type-options: nosniff\r
\r
`

const body = '{"challenge":"c"}'
const hello = (headers: Record<string, string | undefined>): Asked => ({ headers })
const attest = (headers: Record<string, string>): Asked => ({ method: 'POST', path: '/v1/attest', headers, body })
const navigation = (mode: string, destination: string): Asked => ({
  path: '/v1/return?c=good',
  headers: { origin: undefined, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination },
})

/** By what is wrong with them. */
const strangers = (port: number): Record<string, Asked[]> => ({
  host: [
    ...['rebound.evil.example', `evil.example:${port}`, '127.0.0.1', 'localhost', `127.0.0.1:${port + 1}`],
    ...[`[::1]:${port}`, `127.0.0.2:${port}`, `0.0.0.0:${port}`, `localhost.:${port}`, '', undefined],
  ].flatMap((host) => [hello({ host }), { path: '/v1/return?c=good', headers: { host } }]),
  origin: [
    ...['https://evil.example', 'null', `${origin}.evil.example`, origin.replace('https', 'http'), '', undefined],
  ].flatMap((one) => [hello({ origin: one }), { method: 'OPTIONS', headers: { origin: one } }]),
  'origin of a challenge': [attest({ origin: 'https://evil.example' }), attest({ origin: 'null' })],
  path: ['/', '/v1/hello/', '/v1/../v1/hello', '//evil.example/v1/hello', '/v1/attest', '/v1/hellos', '*'].map(
    (path) => ({ path }),
  ),
  'full address': [`http://127.0.0.1:${port}/v1/hello`, 'http://evil.example/v1/hello'].map((path) => ({ path })),
  method: [
    ...['POST', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'].map((method) => ({ method })),
    ...['POST', 'HEAD', 'OPTIONS'].map((method) => ({ method, path: '/v1/return?c=good' })),
  ],
  mode: [
    ...['navigate', 'no-cors', 'same-origin', 'websocket'].map((mode) => hello({ 'sec-fetch-mode': mode })),
    ...['no-cors', 'same-origin'].map((mode) => attest({ 'sec-fetch-mode': mode })),
    ...[navigation('cors', 'empty'), navigation('no-cors', 'image'), navigation('navigate', 'iframe')],
  ],
  'another protocol': [
    hello({ connection: 'upgrade', upgrade: 'websocket' }),
    ...[{ http: '1.0' }, { http: '1.0', headers: { connection: 'keep-alive' } }],
    { http: '1.0', path: '/', headers: { host: undefined } },
  ],
})

test('whatever is wrong with a request, it gets the same answer to the letter, and nothing is done for it', async () => {
  const { port, calls } = await open()
  for (const [wrong, requests] of Object.entries(strangers(port))) {
    for (const asked of requests)
      assert.equal(await ask(port, asked), nothingHere, `${wrong}: ${JSON.stringify(asked)}`)
  }
  assert.deepEqual(calls, [])
})

test('before the first check-in nobody gets another answer than that', async () => {
  const { port, calls } = await open('')
  const good = [hello({}), attest({}), { method: 'OPTIONS' }, navigation('navigate', 'document')]
  for (const asked of [...good, hello({ origin: undefined })]) assert.equal(await ask(port, asked), nothingHere)
  assert.deepEqual(calls, [])
})

test('the pinned page and a navigation get what they came for, at both names of this machine', async () => {
  const { port, calls } = await open()
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    assert.match(
      await ask(port, hello({ host })),
      /^HTTP\/1\.1 204 .*access-control-allow-origin: https:\/\/muster\./is,
    )
    assert.match(
      await ask(port, attest({ host, 'sec-fetch-mode': 'cors' })),
      /^HTTP\/1\.1 200 .*\{"proof":"a-proof"\}/s,
    )
    const { path, headers } = navigation('navigate', 'document')
    const sent = await ask(port, { path: path ?? '', headers: { ...headers, host } })
    assert.match(sent, /^HTTP\/1\.1 303 .*location: https:\/\/muster\.example\.com\/signin\/return#proof=a-proof/is)
    assert.match(
      await ask(port, { method: 'OPTIONS', headers: { host } }),
      /^HTTP\/1\.1 204 .*allow-methods: GET, POST/is,
    )
  }
  const each = ['wake', 'fetch', 'wake', 'navigation', 'wake']
  assert.deepEqual(calls, [...each, ...each])
})

test('a request that opens a tunnel gets no answer', async () => {
  const { port } = await open()
  assert.equal(await ask(port, { method: 'CONNECT', path: '127.0.0.1:22' }), '')
})
