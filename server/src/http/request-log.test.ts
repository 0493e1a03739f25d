import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Fastify from 'fastify'
import { makeNodeKey } from '../agents/protocol/node-key.ts'
import { createLogger } from '../base/logging.ts'
import { openSecrets } from '../base/secrets/secrets.ts'
import { generateToken } from '../base/secrets/token-format.ts'
import { generateSecret } from '../signals/webhooks/endpoint-secret.ts'
import { loggedPath, logRequests } from './request-log.ts'

const uuid = '0b7a2ad4-6f5c-4c8e-9d8e-0a3f1b2c4d5e'

const kept: readonly [url: string, route?: string][] = [
  ['/'],
  ['/devices/9223372036854775807?search=ana'],
  [`/ssf_streams/${uuid}/`],
  ['/none/osquery/enroll.php'],
  ['/signin/0123456789abcdef01234567/events'],
  ['/.well-known/oauth-authorization-server/ssf/2', '/.well-known/oauth-authorization-server/ssf/:organizationId'],
]

test('the path of a request is logged without its query', () => {
  for (const [url, route] of kept) assert.equal(loggedPath(url, route), url.replace(/\?.*/, ''))
})

test('no secret of an address is logged, whatever its form and however it is written', () => {
  const secrets = [
    ...(['mstr_v1', 'muspt'] as const).map(generateToken),
    // Slashes of base64 stand where they may.
    ...['whsec_Hs/ejK39FS6OfVCkWzU5Yhw/k0Yt2bWq/1sJr8XcVpLnQeA=', 'whsec_/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q='],
    ...[generateSecret(), makeNodeKey(openSecrets(randomBytes(32))), randomBytes(32).toString('base64url')],
  ]
  const spellings = [(text: string) => text, encodeURIComponent, (text: string) => text.replace(/./g, percent)]
  for (const secret of secrets) {
    for (const spell of spellings) {
      const spelled = spell(secret)
      for (const url of [`/${spelled}`, `/devices/${spelled}/x`, `/log/a?token=${spelled}`]) {
        const path = loggedPath(url, '/devices/:deviceId/x')
        const rest = secret.slice(0, 30)
        assert.ok(!path.includes(rest) && !decodeURIComponent(path).includes(rest), path)
      }
    }
  }
})

test('the line of a request has no secret of its address, whether or not there is a route', async (t) => {
  const lines: string[] = []
  const app = Fastify()
  t.after(() => app.close())
  logRequests(app, createLogger('info', { write: (line) => lines.push(line) }))
  app.get('/devices/:deviceId', async () => ({}))
  const key = makeNodeKey(openSecrets(randomBytes(32)))
  for (const url of ['/devices/7', `/devices/${key}`, `/${key}`]) await app.inject({ url })
  const paths = lines.map((line) => (JSON.parse(line) as { path: string }).path)
  assert.deepEqual(paths, ['/devices/7', '/devices/[secret]', '/[secret]'])
})

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`
