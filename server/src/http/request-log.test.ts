import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Fastify from 'fastify'
import { base32, generateRecoveryCodes, generateTotpSecret } from '../access/sessions/totp.ts'
import { randomName } from '../agents/companion-keys/link-name.ts'
import { makeNodeKey } from '../agents/protocol/node-key.ts'
import { createLogger } from '../base/logging.ts'
import { openSecrets } from '../base/secrets/secrets.ts'
import { generateToken } from '../base/secrets/token-format.ts'
import { newBypassCode, shownCode } from '../sign-in/bypass/code-text.ts'
import { newClientSecret } from '../sign-in/connections/create-connection.ts'
import { generateSecret } from '../signals/webhooks/endpoint-secret.ts'
import { loggedPath, logRequests } from './request-log.ts'

const uuid = '0b7a2ad4-6f5c-4c8e-9d8e-0a3f1b2c4d5e'

const kept: readonly [url: string, route?: string][] = [
  ['/'],
  ['/devices/9223372036854775807?search=ana'],
  [`/ssf_streams/${uuid}/`],
  ['/none/osquery/enroll.php'],
  ['/signin/0123456789abcdef01234567/events'],
  ['/wp-admin/.env'],
  ['/catalogue/macos-disk-encryption/enable'],
  ['/reporting/tables/kernel_extensions', '/reporting/tables/:name'],
  ['/issues/1234567890', '/issues/:id'],
  ['/identities/deliveries', '/identities/deliveries'],
  ['/.well-known/oauth-authorization-server/ssf/2', '/.well-known/oauth-authorization-server/ssf/:organizationId'],
]

test('the path of a request is logged without its query', () => {
  for (const [url, route] of kept) assert.equal(loggedPath(url, route), url.replace(/\?.*/, ''))
})

/** By what each is for. */
const secrets: Readonly<Record<string, readonly string[]>> = {
  'API key, access token, SCIM token, one-time link, poll token': (
    ['mstr_v1', 'mstr_at', 'mstr_scim', 'mstr_link', 'muspt'] as const
  ).map(generateToken),
  // Slashes of base64 stand where they may.
  webhook: [
    ...[generateSecret(), 'whsec_Hs/ejK39FS6OfVCkWzU5Yhw/k0Yt2bWq/1sJr8XcVpLnQeA='],
    'whsec_/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q=',
  ],
  'node key': [makeNodeKey(openSecrets(randomBytes(32)))],
  'enrollment secret, session, authorization code, cookie of a sign-in': [randomBytes(32).toString('base64url')],
  'client secret': [newClientSecret()],
  'nonce and epoch of a companion': [randomName()],
  'key of an authenticator app': [base32(generateTotpSecret())],
  'key of the demo': [randomBytes(16).toString('base64url'), 'a-b_c9d-e_f0g-h_i1j-k_'],
  'recovery code': ['abcde-fghij', 'a2b3c-d4e5f', ...generateRecoveryCodes()],
  'code from IT': ['ABCDE-FGHJK', shownCode(newBypassCode()), newBypassCode(), '23456-ABCDE', 'abcdefghjk'],
}

const spellings: readonly ((text: string) => string)[] = [
  ...[(text: string) => text, encodeURIComponent, (text: string) => text.replace(/./g, percent)],
  ...[
    (text: string) => `${text}.`,
    (text: string) => `x.${text}`,
    (text: string) => `-${text}--`,
    (text: string) => `_${text}_`,
  ],
]

for (const [title, made] of Object.entries(secrets)) {
  test(`no path is logged with a secret, however it is written: ${title}`, () => {
    for (const secret of made) {
      for (const spell of spellings) {
        const spelled = spell(secret)
        for (const url of [`/${spelled}`, `/devices/${spelled}/x`, `/demo/${spelled}/x`, `/log/a?token=${spelled}`]) {
          for (const route of ['/devices/:deviceId/x', undefined]) {
            const path = loggedPath(url, route)
            const rest = secret.slice(0, 30)
            assert.ok(!path.includes(rest) && !decodeURIComponent(path).includes(rest), path)
          }
        }
      }
    }
  })
}

test('the line of a request has no secret of its address, whether or not there is a route', async (t) => {
  const lines: string[] = []
  const app = Fastify()
  t.after(() => app.close())
  logRequests(app, createLogger('info', { write: (line) => lines.push(line) }))
  app.get('/devices/:deviceId', async () => ({}))
  const key = makeNodeKey(openSecrets(randomBytes(32)))
  for (const url of ['/devices/7', `/devices/${key}`, `/${key}`, '/devices/ABCDE-FGH23', '/ABCDE-FGH23'])
    await app.inject({ url })
  const paths = lines.map((line) => (JSON.parse(line) as { path: string }).path)
  assert.deepEqual(paths, ['/devices/7', '/devices/[secret]', '/[secret]', '/devices/[secret]', '/[secret]'])
})

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`
