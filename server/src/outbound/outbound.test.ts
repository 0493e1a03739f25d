import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { rawReceivers } from '../../test/support/raw-receivers.ts'
import { type OutboundSettings, openOutbound } from './outbound.ts'

const { certificate, identity, listening, receiver, rawReceiver, posting, toLoopback, failure, servers } =
  rawReceivers()

test('a body arrives as it was sent, over a connection that is used again', async () => {
  const seen: unknown[] = []
  const ports = new Set<number | undefined>()
  const port = await receiver((request, response) => {
    ports.add(request.socket.remotePort)
    request
      .setEncoding('utf8')
      .on('data', (text) => seen.push([request.method, request.url, request.headers['x-one'], text]))
    request.on('end', () => response.writeHead(202, { 'retry-after': '7' }).end('thanks'))
  })
  await posting({}, async (post) => {
    const first = await post(port)
    assert.ok(first.kind === 'answered')
    assert.deepEqual([first.status, first.retryAfter, first.body.toString()], [202, '7', 'thanks'])
    assert.ok(first.timings.tlsMs > 0 && first.timings.totalMs >= first.timings.firstByteMs)
    const second = await post(port)
    assert.deepEqual([second.timings.dnsMs, second.timings.connectMs, second.timings.tlsMs], [0, 0, 0])
  })
  assert.deepEqual(seen, Array(2).fill(['POST', '/hook?a=b', '1', 'signed']))
  assert.equal(ports.size, 1)
})

test('at most so many requests are with one receiver at a time, and the others wait their turn', async () => {
  let [now, most] = [0, 0]
  const port = await receiver((request, response) => {
    now += 1
    most = Math.max(most, now)
    request.resume()
    setTimeout(() => {
      now -= 1
      response.end()
    }, 20)
  })
  await posting({ lanesPerPool: 3 }, async (post) => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => post(port)))
    assert.ok(outcomes.every((outcome) => outcome.kind === 'answered'))
  })
  assert.equal(most, 3)
})

test('an inward address is refused, alone or among public ones, and is not dialled', async () => {
  let connections = 0
  const port = await receiver((_request, response) => response.end())
  servers.at(-1)?.on('connection', () => {
    connections += 1
  })
  const inward = { address: '127.0.0.1', family: 4 }
  for (const addresses of [
    [inward],
    [{ address: '93.184.216.34', family: 4 }, inward],
    [{ address: '::1', family: 6 }],
    [{ address: '::ffff:10.0.0.1', family: 6 }],
    Array.from({ length: 64 }, (_, index) => (index === 63 ? inward : { address: '1.1.1.1', family: 4 })),
    [],
  ]) {
    const outcome = await posting({ allowPrivate: false, ...toLoopback(addresses) }, (post) => post(port))
    assert.deepEqual(failure(outcome), ['refused', false])
  }
  const outbound = openOutbound({ allowPrivate: false })
  const literal = await outbound.post({ url: `https://127.0.0.1:${port}/`, headers: {}, body: '' })
  await outbound.close()
  assert.deepEqual(failure(literal), ['refused', false])
  assert.equal(connections, 0)
})

test('a name is judged anew at each connection, and what was judged is what is dialled', async () => {
  const answers: LookupAddress[][] = [[{ address: '1.1.1.1', family: 4 }], [{ address: '127.0.0.1', family: 4 }]]
  let asked = 0
  const resolve: OutboundSettings['resolve'] = (_host, callback) => {
    callback(null, answers[Math.min(asked, 1)] ?? [])
    asked += 1
  }
  const port = await receiver((_request, response) => response.end())
  await posting({ allowPrivate: false, resolve, deadlineMs: 300 }, async (post) => {
    // Nothing answers there from a test, or not as this receiver.
    assert.equal((await post(port)).kind, 'failed')
    assert.deepEqual(failure(await post(port)), ['refused', false])
  })
  assert.equal(asked, 2)
})

test('a redirect is an answer like any other and leads nowhere', async () => {
  let inward = 0
  const inside = await receiver((_request, response) => {
    inward += 1
    response.end()
  })
  const port = await receiver((request, response) => {
    request.resume()
    response.writeHead(Number(request.url?.slice(1)), { location: `https://receiver.test:${inside}/` }).end()
  })
  await posting({}, async (post) => {
    for (const status of [301, 302, 303, 307, 308]) {
      assert.deepEqual(failure(await post(port, `/${status}`)), ['answered', status])
    }
  })
  assert.equal(inward, 0)
})

test('nothing has arrived where no secure connection could be made', async () => {
  const closed = await listening(createTcpServer())
  servers.pop()?.close()
  assert.deepEqual(failure(await posting({}, (post) => post(closed))), ['connection', false])
  const good = await receiver((_request, response) => response.end())
  assert.deepEqual(failure(await posting({ extraAuthorities: [] }, (post) => post(good))), ['tls', false])
  const old = await listening(createTlsServer({ ...identity, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }))
  assert.deepEqual(failure(await posting({}, (post) => post(old))), ['tls', false])
  const mute = await listening(createTcpServer(() => {}))
  assert.deepEqual(failure(await posting({ deadlineMs: 300 }, (post) => post(mute))), ['timeout', false])
  const nowhere: OutboundSettings['resolve'] = (_host, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
  assert.deepEqual(failure(await posting({ resolve: nowhere }, (post) => post(1))), ['dns', false])
  const hanging: OutboundSettings['resolve'] = () => {}
  assert.deepEqual(failure(await posting({ resolve: hanging, deadlineMs: 200 }, (post) => post(1))), ['timeout', false])
})

test('a certificate for another name is refused', async () => {
  const port = await receiver((_request, response) => response.end())
  const outbound = openOutbound({ allowPrivate: true, extraAuthorities: [certificate.cert], ...toLoopback() })
  const outcome = await outbound.post({ url: `https://other.test:${port}/`, headers: {}, body: '' })
  await outbound.close()
  assert.deepEqual(failure(outcome), ['tls', false])
})

test('a caller may give an attempt up', async () => {
  const port = await rawReceiver(() => {})
  const outbound = openOutbound({ allowPrivate: true, extraAuthorities: [certificate.cert], ...toLoopback() })
  const url = `https://receiver.test:${port}/`
  const outcome = await outbound.post({ url, headers: {}, body: '', signal: AbortSignal.timeout(100) })
  await outbound.close()
  assert.equal(outcome.kind === 'failed' && outcome.fault, 'aborted')
})
