import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { readOwnDocument } from './read-own-document.ts'

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t.after(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/document`, close }
}

test('a document of the server is read', async (t) => {
  const { url } = await serve(t, (_request, response) => response.end('{"issuer":"a"}'))
  assert.deepEqual(await readOwnDocument(url), { issuer: 'a' })
})

const hostile: [what: string, listener: RequestListener, reason: RegExp][] = [
  [
    'a redirect, which is not followed',
    (request, response) => {
      if (request.url === '/document') response.writeHead(302, { location: '/other' }).end()
      else response.end('{"issuer":"a"}')
    },
    /answers with status 302: check MUSTER_BASE_URL/,
  ],
  ['a fault', (_request, response) => response.writeHead(502).end('{}'), /answers with status 502/],
  ['a page', (_request, response) => response.end('<html>'), /something else than JSON/],
  ['a number', (_request, response) => response.end('1'), /something else than JSON/],
  [
    'more than 64 kB',
    (_request, response) => response.end(JSON.stringify({ issuer: 'a'.repeat(65_536) })),
    /cannot be read/,
  ],
]

for (const [what, listener, reason] of hostile) {
  test(`an address that answers with ${what} is told so`, async (t) => {
    const { url } = await serve(t, listener)
    await assert.rejects(readOwnDocument(url), reason)
  })
}

test('an address where nothing listens or nobody answers is told so', async (t) => {
  const silent = await serve(t, () => {})
  await assert.rejects(readOwnDocument(silent.url, 50), /does not answer within 0.05 seconds/)
  const { url, close } = await serve(t, () => {})
  await close()
  await assert.rejects(readOwnDocument(url), /is not there: start the server/)
})
