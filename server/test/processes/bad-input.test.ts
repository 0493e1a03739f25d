import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import tls from 'node:tls'
import { type MusterProcess, printedKey, until } from '../support/muster-process.ts'
import { openRunPlace } from '../support/run-place.ts'
import { connectRaw, type RawConnection } from './raw-connection.ts'

const place = await openRunPlace({ after })

/** What is not HTTP, or too much of it, and the status that it is answered with. */
const nonsense: [what: string, bytes: string | Buffer, status: number][] = [
  ['random bytes', Buffer.concat([randomBytes(1024), Buffer.from('\r\n\r\n')]), 400],
  ['a greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a header without a colon', 'GET /whoami HTTP/1.1\r\nhost\r\n\r\n', 400],
  ['no Host', 'GET /whoami HTTP/1.1\r\n\r\n', 400],
  ['two lengths', 'POST /devices HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
  [
    'a length and chunks',
    'POST /devices HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['headers of 70 kB', `GET /whoami HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(70 * 1024)}\r\n\r\n`, 431],
  ['an address of 70 kB', `GET /${'a'.repeat(70 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ['a path that is no URI', 'GET /devices/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ['no key', 'GET /whoami HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 401],
]

async function assertAnswersNonsense(connect: () => Promise<RawConnection>): Promise<void> {
  for (const [what, bytes, status] of nonsense) {
    const connection = await connect()
    connection.write(bytes)
    const { text } = await connection.answer()
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), what)
    assert.match(text, /^x-request-id: \S+/im, what)
    const body: { error: string; message: string } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
    assert.ok(body.error && body.message, what)
    connection.reset()
  }
}

const silence = ['', 'G', 'GET /whoami HTTP/1.1\r\nHost: x\r\n']
const upload =
  'POST /api/v1/osquery/log HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n'
const halfRequests = [...silence, upload, `${upload}{"node_key":"`]

/** Connections that say nothing, or half of something; and some that break off in the middle. */
async function holdConnections(connect: () => Promise<RawConnection>, count: number, beginnings: string[]) {
  const held = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const connection = await connect()
      connection.write(beginnings[index % beginnings.length] ?? '')
      return connection
    }),
  )
  for (const [index, connection] of held.entries()) if (index % 7 === 0) connection.reset()
}

async function assertStillServes(server: MusterProcess, key: string, ca?: string): Promise<void> {
  const { status, body } = await server.ask('GET', '/whoami', { key, ...(ca !== undefined && { ca }) })
  assert.equal(status, 200, JSON.stringify(body))
}

test('settings that would be dangerous or do nothing are refused in words', async (t) => {
  await t.test('an address that others reach, without TLS', async () => {
    const { exit, out, err } = await place.run(['serve'], { HOST: '0.0.0.0', PORT: '0' })
    assert.deepEqual([exit, out], [3, ''])
    assert.match(err, /HOST: is reachable from outside: set MUSTER_TLS_CERT_FILE and MUSTER_TLS_KEY_FILE/)
  })
  await t.test('a name that is nearly one', async () => {
    const { exit, err } = await place.run(['start'], { MUSTER_BASE_ULR: 'https://trust.example.com' })
    assert.equal(exit, 3)
    assert.match(err, /MUSTER_BASE_ULR: .*MUSTER_BASE_URL/)
  })
})

test('a server continues through whatever is sent to it, and ends when it is asked to', async (t) => {
  const server = await place.start(['start', '--no-agent'])
  const key = await printedKey(server)
  const connect = () => connectRaw(server.origin)

  await t.test('what is not HTTP is told so', () => assertAnswersNonsense(connect))

  await t.test('requests that come in one piece are answered in their order', async () => {
    const connection = await connect()
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
    const last = `${request('/devices')}Connection: close\r\n\r\n`
    connection.write(`${request('/whoami')}\r\n${request('/nothing')}\r\n${last}`)
    await until(10_000, async () => (await connection.answer(100)).isEnded)
    const { text } = await connection.answer()
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['200', '404', '200'],
    )
  })

  await t.test('connections that say nothing or little hold nobody up, nor the stop', async () => {
    await holdConnections(connect, 200, halfRequests)
    await assertStillServes(server, key)
    // The half-sent bodies are given five seconds; the connections would continue for ever.
    assert.equal(await server.stop(), 0)
  })

  await t.test('so it is over TLS, where an agent joins with the authority that the trial has made', () =>
    serveLan(key),
  )
})

async function serveLan(key: string): Promise<void> {
  const server = await place.start(['start', '--lan'], { HOST: '127.0.0.1' })
  const caFile = join(place.dataDir, 'lan-ca.pem')
  const ca = await readFile(caFile, 'utf8')
  await assertAnswersNonsense(() => connectRaw(server.origin, ca))
  const plain = await connectRaw(server.origin)
  plain.write('GET /whoami HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.ok((await plain.answer()).isEnded, 'plain HTTP ends at the handshake')
  await assert.rejects(handshake(server.origin, ca, 'TLSv1.1'), /protocol|version/i)
  assert.equal(await handshake(server.origin, ca, 'TLSv1.2'), 'TLSv1.2')
  await assert.rejects(server.ask('GET', '/whoami', { key }), { code: /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY/ })
  await joinAgent(server, caFile)
  const { body } = await server.ask('GET', '/devices', { key, ca })
  assert.equal(body.data.length, 1)
  await holdConnections(() => connectRaw(server.origin, ca), 50, silence)
  await holdConnections(() => connectRaw(server.origin), 50, silence)
  await assertStillServes(server, key, ca)
  assert.equal(await server.stop(), 0)
}

async function joinAgent(server: MusterProcess, caFile: string): Promise<void> {
  const secret = (await readFile(join(place.dataDir, 'enroll_secret'), 'utf8')).trim()
  const joinAs = (name: string, ...trust: string[]) => {
    const flags = ['--server', server.origin, '--enroll-secret', secret, '--state-file', join(place.dataDir, name)]
    return place.run(['agent', ...flags, '--once', ...trust])
  }
  const [trusting, distrusting] = await Promise.all([joinAs('laptop.json', '--ca', caFile), joinAs('stranger.json')])
  assert.equal(trusting.exit, 0, trusting.err)
  assert.match(trusting.err, /enrolled/)
  assert.equal(distrusting.exit, 1)
  assert.match(distrusting.err, /certificate/)
}

/** The version that was agreed on. */
async function handshake(origin: string, ca: string, version: 'TLSv1.1' | 'TLSv1.2'): Promise<string | null> {
  const socket = tls.connect({
    ...{ port: Number(new URL(origin).port), host: '127.0.0.1', servername: 'localhost', ca },
    ...{ minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' },
  })
  try {
    await once(socket, 'secureConnect')
    return socket.getProtocol()
  } finally {
    socket.destroy()
    await pause(0)
  }
}
