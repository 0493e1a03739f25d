import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import { addEarlyAnswers, type EarlyRoute } from './early-answers.ts'
import { addressReader } from './forwarded-address.ts'
import { addMetrics } from './metrics.ts'

const idle = '{"queries":{}}'

const known: EarlyRoute = {
  ofHeaders: ({ headers: { authorization } }) =>
    authorization === undefined ? 'needs body' : authorization === 'known' ? idle : undefined,
  ofBody: (body, { ip }) => (body.toString() === 'known' ? JSON.stringify({ ip }) : undefined),
}

type Settings = { trustProxy?: boolean | string[]; isEachLogged?: () => boolean }

/** A server whose route tells what reaches it, and what raw requests to it are answered on one connection. */
async function serve({ trustProxy = false, isEachLogged = () => false }: Settings = {}) {
  const app = Fastify({ trustProxy, requestIdHeader: false })
  const warned: string[] = []
  const addressOf = addressReader({ trustProxy, warn: (_facts, text) => void warned.push(text) })
  addEarlyAnswers(app, { addressOf, isEachLogged })
  addMetrics(app, undefined)
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.post('/read', async ({ body, ip }) => ({ route: body ?? null, ip }))
  app.earlyAnswers.add('/read', known)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  /** The second part leaves once the server has begun with the request that the first one starts. */
  async function send(part: string, rest = ''): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    const isBegun = once(app.server, 'request')
    const isOver = once(socket, 'close')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    socket.write(part)
    await isBegun
    await setImmediate()
    if (rest !== '') socket.write(rest)
    await isOver
    return text
  }
  return { app, send, warned, [Symbol.asyncDispose]: () => app.close() }
}

type Asked = { headers?: string[]; body?: string; line?: string; isLast?: boolean }

function request({ headers = ['host: a'], body = '', line = 'POST /read HTTP/1.1', isLast = true }: Asked): string {
  const all = [...headers, `content-length: ${body.length}`, ...(isLast ? ['connection: close'] : [])]
  return `${line}\r\n${all.join('\r\n')}\r\n\r\n${body}`
}

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

test('a request whose headers are enough is answered with the common headers, and its body is dropped', async () => {
  await using server = await serve()
  const first = request({
    headers: ['host: a', 'authorization: known', 'x-request-id: mine'],
    body: 'x',
    isLast: false,
  })
  const second = request({ headers: ['host: a', 'authorization: known'], body: 'y' })
  const [one = '', two = ''] = (await server.send(first + second)).split(/(?<=\})(?=HTTP)/)
  assert.match(one, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(one, /\r\nx-request-id: mine\r\n/)
  for (const header of ['content-type: application/json', 'cache-control: no-store', 'x-content-type-options: nosniff'])
    assert.ok(one.includes(`\r\n${header}\r\n`), header)
  assert.match(two, /\r\nx-request-id: [0-9a-f-]{36}\r\n/)
  assert.deepEqual([bodyOf(one), bodyOf(two)], [{ queries: {} }, { queries: {} }])
})

test('a body that came with its headers is enough for an answer', async () => {
  await using server = await serve()
  assert.deepEqual(bodyOf(await server.send(request({ body: 'known' }))), { ip: '127.0.0.1' })
})

test('a body that decides nothing, or comes later or in parts, reaches the route whole', async () => {
  await using server = await serve()
  assert.deepEqual(bodyOf(await server.send(request({ body: 'other' }))), { route: 'other', ip: '127.0.0.1' })
  const whole = request({ body: 'known' })
  for (const cut of [whole.length - 5, whole.length - 2]) {
    const answer = bodyOf(await server.send(whole.slice(0, cut), whole.slice(cut)))
    assert.deepEqual(answer, { route: 'known', ip: '127.0.0.1' })
  }
  assert.deepEqual(
    bodyOf(await server.send(request({ headers: ['host: a', 'authorization: other'], body: 'known' }))),
    {
      route: 'known',
      ip: '127.0.0.1',
    },
  )
})

test('requests of other methods, addresses and hosts are left to the framework', async () => {
  await using server = await serve()
  const headers = ['host: a', 'authorization: known']
  assert.match(await server.send(request({ headers, line: 'PUT /read HTTP/1.1' })), /^HTTP\/1\.1 404 /)
  assert.match(await server.send(request({ headers, line: 'POST /read/ HTTP/1.1' })), /^HTTP\/1\.1 404 /)
  assert.match(await server.send(request({ headers, line: 'POST /read?a HTTP/1.1', body: 'b' })), /"route":"b"/)
  assert.match(await server.send(request({ headers: [...headers, 'HOST: b'], body: 'c' })), /"route":"c"/)
})

test('nothing is answered early where each request is logged', async () => {
  await using server = await serve({ isEachLogged: () => true })
  const answer = await server.send(request({ headers: ['host: a', 'authorization: known'], body: 'd' }))
  assert.match(answer, /"route":"d"/)
})

test('behind a trusted proxy the sender is the one that the framework knows, whom a stranger cannot name', async () => {
  const forwarded = ['host: a', 'x-forwarded-for: 192.0.2.1, 198.51.100.7']
  for (const trustProxy of [true, false, ['127.0.0.1'], ['10.0.0.0/8']]) {
    await using server = await serve({ trustProxy })
    const early = bodyOf(await server.send(request({ headers: forwarded, body: 'known' })))
    const route = bodyOf(await server.send(request({ headers: forwarded, body: 'other' })))
    assert.deepEqual(route, { route: 'other', ...(early as object) })
  }
})

test('the port that a proxy writes behind an address is no part of it, at each trusted proxy', async () => {
  await using server = await serve({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
  for (const [header, ip] of [
    ['203.0.113.9:50123', '203.0.113.9'],
    ['[2001:db8::9]:1', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    ['2001:db8::9', '2001:db8::9'],
    ['198.51.100.1, 203.0.113.9:50123, 10.0.0.1:443', '203.0.113.9'],
    ['203.0.113.9:1,10.0.0.1:2 , 10.0.0.2:3', '203.0.113.9'],
  ] as const) {
    const headers = ['host: a', `x-forwarded-for: ${header}`]
    assert.deepEqual(bodyOf(await server.send(request({ headers, body: 'known' }))), { ip }, header)
    assert.deepEqual(bodyOf(await server.send(request({ headers, body: 'other' }))), { route: 'other', ip }, header)
  }
  assert.deepEqual(server.warned, [])
})

test('what is no address behind a trusted proxy is told once', async () => {
  await using server = await serve({ trustProxy: ['127.0.0.1'] })
  for (const header of ['unknown', '_hidden', '203.0.113.9:x'])
    await server.send(request({ headers: ['host: a', `x-forwarded-for: ${header}`], body: 'known' }))
  assert.equal(server.warned.length, 1)
})

test('early answers are measured like those of their route', async () => {
  await using server = await serve()
  await server.send(request({ headers: ['host: a', 'authorization: known'] }))
  await server.send(request({ body: 'known' }))
  await server.send(request({ body: 'other' }))
  const { body } = await server.app.inject('/metrics')
  assert.match(body, /muster_http_requests_total\{method="POST",route="\/read",status="200"\} 3\n/)
  assert.match(body, /muster_http_request_duration_seconds_count\{method="POST",route="\/read"\} 3\n/)
})
