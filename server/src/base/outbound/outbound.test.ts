import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, createServer as createTcpServer, isIP, Socket } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { pino } from 'pino'
import { rawReceivers } from '../../../test/support/raw-receivers.ts'
import { type OutboundSettings, openOutbound } from './outbound.ts'
import { ownAddresses } from './own-addresses.ts'

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
    assert.deepEqual(failure(outcome), ['unreachable', false])
  }
  const outbound = openOutbound({ allowPrivate: false })
  const literal = await outbound.post({ url: `https://127.0.0.1:${port}/`, headers: {}, body: '' })
  await outbound.close()
  assert.deepEqual(failure(literal), ['unreachable', false])
  assert.equal(connections, 0)
})

test('a connection that ends at another address than the one that was judged is given up before its first byte', async () => {
  let bytes = 0
  const port = await listening(createTcpServer((socket) => socket.on('data', ({ length }) => (bytes += length))))
  const outcomes = await posting(
    {
      allowPrivate: false,
      ...toLoopback([{ address: '1.1.1.1', family: 4 }]),
      // As if the network or a future library led elsewhere.
      connect: (options) => connectTcp({ ...options, lookup: undefined, host: '127.0.0.1' }),
    },
    (post) => Promise.all([post(port), post(port)]),
  )
  assert.deepEqual(outcomes.map(failure), Array(2).fill(['unreachable', false]))
  assert.equal(bytes, 0)
})

test('no receiver is at an address of Muster itself, unless it is said to share it', async () => {
  const connect = () => assert.fail('it is dialed')
  const answers = { 'muster.example': '1.1.1.7', 'db.example': '2606:4700::7', 'hook.example': '1.1.1.9' }
  const own = ownAddresses({
    hosts: ['muster.example', 'db.example', '1.1.1.8', 'gone.example'],
    resolvers: [
      (host, callback) => {
        const address = answers[host as keyof typeof answers]
        callback(address ? null : new Error('no such name'), address ? [{ address, family: isIP(address) }] : [])
      },
    ],
    listInterfaces: () => ['203.0.114.3', '::1', '1.1.1.9'],
    sharedRanges: ['1.1.1.9', '2001:db8::/32'],
  })
  for (const [address, isOwn] of [
    ['1.1.1.7', true],
    ['1.1.1.8', true],
    ['2606:4700:0:0::7', true],
    ['203.0.114.3', true],
    ['::ffff:1.1.1.7', true],
    ['64:ff9b::101:107', true],
    ['64:ff9b::101:109', false],
    ['1.1.1.9', false],
    ['1.1.1.6', false],
  ] as const) {
    const settings = { allowPrivate: false, listOwnAddresses: own, nat64Prefixes: ['64:ff9b::/96'] }
    const resolved = toLoopback([{ address, family: isIP(address) }])
    if (isOwn) {
      const outcome = await posting({ ...settings, ...resolved, connect }, (post) => post(443))
      assert.deepEqual(failure(outcome), ['unreachable', false], address)
    } else {
      const outcome = await posting({ ...settings, ...resolved, connect: refusing }, (post) => post(443))
      assert.deepEqual(failure(outcome), ['connection', false], address)
    }
  }
})

const refusing = () => {
  const socket = new Socket()
  process.nextTick(() => socket.destroy(new Error('Nobody is here')))
  return socket
}

test('Muster’s own addresses are those of now: names are resolved again after a minute, and outlast a failure', async () => {
  let now = 0
  let answer: LookupAddress[] | undefined = [{ address: '1.1.1.1', family: 4 }]
  let asked = 0
  const own = ownAddresses({
    hosts: ['muster.example'],
    resolvers: [
      (_host, callback) => {
        asked += 1
        callback(answer ? null : new Error('no answer'), answer ?? [])
      },
    ],
    listInterfaces: () => [`1.1.2.${now / 1_000}`],
    monotonicMs: () => now,
  })
  assert.deepEqual([...(await own())], ['1.1.2.0', '1.1.1.1'])
  now = 59_000
  answer = [{ address: '1.1.1.2', family: 4 }]
  assert.deepEqual([[...(await own())], asked], [['1.1.2.59', '1.1.1.1'], 1])
  now = 60_000
  assert.deepEqual([...(await own())], ['1.1.2.60', '1.1.1.2'])
  now = 120_000
  answer = undefined
  assert.deepEqual([[...(await own())], asked], [['1.1.2.120', '1.1.1.2'], 3])
})

test('a name without an address and one of the inner network look alike, but for the log of the operator', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const settings = { allowPrivate: false, log }
  const inner = await posting({ ...settings, ...toLoopback() }, (post) => post(443))
  const missing: OutboundSettings['resolve'] = (_host, callback) => callback(new Error('NXDOMAIN of the tests'), [])
  const nowhere = await posting({ ...settings, resolve: missing }, (post) => post(443))
  assert.deepEqual(inner, nowhere)
  assert.deepEqual(inner, {
    kind: 'failed',
    fault: 'unreachable',
    message: 'The host could not be looked up, or has no public address',
    mayHaveArrived: false,
    timings: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, totalMs: 0 },
  })
  assert.match(lines[0] ?? '', /"host":"receiver\.test".*may not be dialed/)
  assert.match(lines[1] ?? '', /NXDOMAIN of the tests/)
})

test('a name is judged again at each connection, and what was judged is what is dialled', async () => {
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
    assert.deepEqual(failure(await post(port)), ['unreachable', false])
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
  assert.deepEqual(failure(await posting({ resolve: nowhere }, (post) => post(1))), ['unreachable', false])
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
