import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { checkServerUrl, openTransport } from './open-transport.ts'

const signal = new AbortController().signal
let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-tls-'))
})
after(() => rmSync(folder, { recursive: true }))

/** A key and a certificate of its own for 127.0.0.1, or undefined where there is no openssl. */
function selfSigned(name: string): { key: string; cert: string; certFile: string } | undefined {
  const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
    ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certFile],
  ])
  if (made.status !== 0) return undefined
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), certFile }
}

async function listening(server: Server, use: (port: number) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

test('the certificates of the CA file are trusted, and nothing else is', async (t) => {
  const own = selfSigned('own')
  const other = selfSigned('other')
  if (!own || !other) return t.skip('no openssl here')
  const server = createServer({ key: own.key, cert: own.cert }, (_request, response) => response.end('{"ok":true}'))
  await listening(server, async (port) => {
    const address = `https://127.0.0.1:${port}`
    const trusting = await openTransport({ server: address, caFile: own.certFile, signal })
    assert.deepEqual(await trusting.post('/x', '{}', undefined), { kind: 'accepted', body: { ok: true } })
    for (const caFile of [other.certFile, undefined]) {
      const distrusting = await openTransport({ server: address, caFile, signal })
      await assert.rejects(distrusting.post('/x', '{}', undefined), /self-signed|unable to verify/)
      await distrusting.close()
    }
    await trusting.close()
  })
})

test('one connection carries the polls, with the path of the address in front', async () => {
  let connections = 0
  const paths: string[] = []
  const server = createHttpServer((request, response) => {
    paths.push(request.url ?? '')
    response.end('{}')
  })
  server.on('connection', () => {
    connections += 1
  })
  await listening(server, async (port) => {
    const transport = await openTransport({ server: `http://127.0.0.1:${port}/agents/`, signal })
    for (const path of ['/a', '/b', '/c']) await transport.post(path, '{}', 'key')
    await transport.close()
  })
  assert.deepEqual(paths, ['/agents/a', '/agents/b', '/agents/c'])
  assert.equal(connections, 1)
})

test('a server that says nothing is given up after the timeout', async () => {
  await listening(createHttpServer(), async (port) => {
    const transport = await openTransport({ server: `http://127.0.0.1:${port}`, signal, timeoutMs: 50 })
    await assert.rejects(transport.post('/x', '{}', undefined), /no answer within 0.05 s/)
    await transport.close()
  })
})

test('an answer without end is not read to the end', async () => {
  const server = createHttpServer((_request, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 32)
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  })
  await listening(server, async (port) => {
    const transport = await openTransport({ server: `http://127.0.0.1:${port}`, signal })
    await assert.rejects(transport.post('/x', '{}', undefined), /larger than 8 MiB/)
    await transport.close()
    server.closeAllConnections()
  })
})

test('only https, or http on this machine, is a server', () => {
  for (const good of [
    'https://trust.example.com',
    'https://10.0.0.1:8443/x',
    'http://localhost:80',
    'http://[::1]:8080',
  ]) {
    assert.doesNotThrow(() => checkServerUrl(good), good)
  }
  const bad = [
    'http://trust.example.com',
    'http://10.0.0.1',
    'ftp://x',
    'trust.example.com',
    'https://u:p@x',
    'https://x/?a',
    'http://127.0.0.1.example.com',
  ]
  for (const server of bad) assert.throws(() => checkServerUrl(server), Error, server)
})

test('a request that waits is sent again once when the connections are renewed, and then the next break counts', async () => {
  const held: (() => void)[] = []
  const server = createHttpServer((_request, response) => {
    held.push(() => response.end('{"ok":true}'))
  })
  const asked = async (count: number) => {
    while (held.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  await listening(server, async (port) => {
    const transport = await openTransport({ server: `http://127.0.0.1:${port}`, signal })
    const answer = transport.post('/x', '{}', undefined)
    await asked(1)
    transport.renewConnections()
    await asked(2)
    held[1]?.()
    assert.deepEqual(await answer, { kind: 'accepted', body: { ok: true } })
    const other = transport.post('/x', '{}', undefined)
    await asked(3)
    transport.renewConnections()
    await asked(4)
    transport.renewConnections()
    await assert.rejects(other)
    assert.equal(held.length, 4)
    await transport.close()
  })
})
