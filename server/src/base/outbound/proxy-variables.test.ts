import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rawReceivers } from '../../../test/support/raw-receivers.ts'

const { certificate, receiver, listening } = rawReceivers()
const run = promisify(execFile)
const callOut = fileURLToPath(new URL('../../../test/support/call-out.ts', import.meta.url))

test('the variables of a proxy lead nothing of the product elsewhere', async (t) => {
  const asked: string[] = []
  const port = await receiver((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end()
  })
  let throughProxy = 0
  const proxyPort = await listening(
    createServer((socket) => {
      throughProxy += 1
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    }),
  )
  const folder = await mkdtemp(join(tmpdir(), 'muster-proxy-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'ca.pem'), certificate.cert)
  const proxy = `http://127.0.0.1:${proxyPort}`
  const names = ['http_proxy', 'https_proxy', 'all_proxy']
  const { stdout } = await run(process.execPath, [callOut], {
    env: {
      PATH: process.env['PATH'],
      ...Object.fromEntries(
        names.flatMap((name) => [
          [name, proxy],
          [name.toUpperCase(), proxy],
        ]),
      ),
      // What makes node's own `fetch` heed them.
      NODE_USE_ENV_PROXY: '1',
      PORT: String(port),
      CERTIFICATE: join(folder, 'ca.pem'),
    },
  })
  assert.deepEqual(JSON.parse(stdout), { posted: 200, fetched: 200, byNode: 'failed' })
  assert.deepEqual(asked, ['POST /hook', 'GET /hook'])
  assert.equal(throughProxy, 1, 'only the call that is not of the product went through the proxy')
})
