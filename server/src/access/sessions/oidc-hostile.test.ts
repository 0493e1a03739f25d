import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { exportJWK, exportSPKI, generateKeyPair } from 'jose'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { json, type SigningKey, startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { oidcClient } from '../../../test/support/identity-provider.ts'
import { guardedFetch } from '../../base/outbound/guarded-fetch.ts'

const provider = await startHostileProvider()
after(() => provider.stop())

const env = {
  MUSTER_OIDC_ISSUER: provider.issuer,
  MUSTER_OIDC_CLIENT_ID: oidcClient.id,
  MUSTER_OIDC_CLIENT_SECRET: oidcClient.secret,
}
const app = testApp({ env })

beforeEach(async () => {
  app.setNow(new Date(Math.floor(performance.timeOrigin + performance.now())).toISOString())
  provider.reset()
  await app.reset()
  await addAdmin(app)
})

const failed = (reason: string) => ({ to: `${baseUrl}/console/sign-in#oidc=${reason}`, session: false })
const signedIn = { to: `${baseUrl}/console/`, session: true }

async function begin() {
  const answer = await openBrowser(app).ask('GET', '/session/oidc/start')
  assert.equal(answer.status, 303)
  const url = new URL(answer.headers['location'] ?? '')
  const cookie = String(answer.headers['set-cookie'] ?? '').split(';', 1)[0] ?? ''
  return { url, cookie, state: url.searchParams.get('state') ?? '', nonce: url.searchParams.get('nonce') ?? '' }
}

async function comeBack(parameters: Record<string, string>, cookie: string) {
  const query = new URLSearchParams(parameters)
  const answer = await app.ask('GET', `/console/api/session/oidc/callback?${query}`, {
    key: undefined,
    headers: { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  })
  assert.equal(answer.status, 303, JSON.stringify(answer.body))
  const session = [answer.headers['set-cookie'] ?? []].flat().some((one) => /^__Host-muster_session=[^;]/.test(one))
  return { to: answer.headers['location'], session }
}

type Forged = {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  key?: SigningKey
  token?: (good: string) => unknown
}

/** Signs in at a provider whose ID token, or the answer around it, is as given. */
async function signIn({ claims = {}, header, key, token }: Forged = {}, answer: Record<string, string> = {}) {
  const { cookie, state, nonce } = await begin()
  const idToken = await provider.sign({ nonce, ...claims }, header, key)
  const good = { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: idToken }
  provider.endpoints.set('/token', json({ ...good, ...(token && { id_token: token(idToken) }) }))
  return comeBack({ code: 'c', state, iss: provider.issuer, ...answer }, cookie)
}

const partsOf = (token: string) => token.split('.') as [string, string, string]
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('an honest answer signs in, so that what follows fails for the reason that is named', async () => {
  assert.deepEqual(await signIn(), signedIn)
  assert.deepEqual(await signIn({ claims: { aud: ['muster'] } }), signedIn)
})

const stranger = await generateKeyPair('RS256', { extractable: true })
const hour = 3_600
const seconds = () => Math.floor((performance.timeOrigin + performance.now()) / 1_000)
const publicPem = new TextEncoder().encode(await exportSPKI(provider.keys.publicKey))
const forgeries: [title: string, forged: () => Forged][] = [
  ['of another issuer', () => ({ claims: { iss: 'https://other.example' } })],
  ['without an issuer', () => ({ claims: { iss: undefined } })],
  ['of an issuer with a slash more', () => ({ claims: { iss: `${provider.issuer}/` } })],
  ['for another audience', () => ({ claims: { aud: 'another client' } })],
  ['without an audience', () => ({ claims: { aud: undefined } })],
  ['for several audiences and another party', () => ({ claims: { aud: ['muster', 'x'], azp: 'x' } })],
  ['for several audiences and no party', () => ({ claims: { aud: ['muster', 'x'] } })],
  ['with another nonce', () => ({ claims: { nonce: 'another' } })],
  ['without a nonce', () => ({ claims: { nonce: undefined } })],
  ['that has expired', () => ({ claims: { iat: seconds() - 2 * hour, exp: seconds() - hour } })],
  ['without an end', () => ({ claims: { exp: undefined } })],
  ['that is not valid yet', () => ({ claims: { nbf: seconds() + hour } })],
  ['about nobody', () => ({ claims: { sub: undefined } })],
  ['about a name with a NUL', () => ({ claims: { sub: 'maya\0' } })],
  ['about a name of a megabyte', () => ({ claims: { sub: 'm'.repeat(300_000) } })],
  ['about someone else than the user information', () => ({ claims: { sub: 'tom' } })],
  ['of another key under the same name', () => ({ key: stranger.privateKey })],
  ['of a key that is not published', () => ({ header: { kid: 'two' }, key: stranger.privateKey })],
  [
    'that names where its key is',
    () => ({ header: { jku: `${provider.insideOrigin}/jwks` }, key: stranger.privateKey }),
  ],
  [
    'signed with the secret of the client',
    () => ({ header: { alg: 'HS256' }, key: new TextEncoder().encode(oidcClient.secret) }),
  ],
  ['signed with the public key as a secret', () => ({ header: { alg: 'HS256' }, key: publicPem })],
  ['that is not signed', () => ({ token: (good) => `${encode({ alg: 'none' })}.${partsOf(good)[1]}.` })],
  ['that is not signed, in capitals', () => ({ token: (good) => `${encode({ alg: 'NONE' })}.${partsOf(good)[1]}.` })],
  ['whose signature was taken away', () => ({ token: (good) => `${partsOf(good).slice(0, 2).join('.')}.` })],
  ['whose contents were changed', () => ({ token: changed })],
  ['that is critical of an extension', () => ({ header: { crit: ['b64'], b64: true } })],
  ['that is no token', () => ({ token: () => 'a.b.c' })],
  ['that is a number', () => ({ token: () => 7 })],
  ['that is not there', () => ({ token: () => undefined })],
]

function changed(good: string): string {
  const [header, payload, signature] = partsOf(good)
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return [header, encode({ ...claims, email: 'root@acme.example' }), signature].join('.')
}

test('a forged ID token opens nothing', async (t) => {
  for (const [title, forged] of forgeries) {
    await t.test(title, async () => {
      assert.deepEqual(await signIn(forged()), failed('refused'))
    })
  }
  assert.equal(provider.inward(), 0)
})

test('a key inside a token is not the provider’s', async () => {
  const jwk = await exportJWK(stranger.publicKey)
  assert.deepEqual(await signIn({ header: { jwk }, key: stranger.privateKey }), failed('refused'))
})

test('an answer of another provider, or with another state, is not taken for this one’s', async () => {
  for (const answer of [{ iss: 'https://other.example' }, { iss: '' }, { state: 'another' }, { state: '' }]) {
    assert.deepEqual(await signIn({}, answer), failed('refused'), JSON.stringify(answer))
  }
  const { cookie, state } = await begin()
  const asked = provider.asked.length
  assert.deepEqual(
    await comeBack({ code: 'c', state }, cookie),
    failed('refused'),
    'it says whose it is, or is refused',
  )
  assert.equal(provider.asked.length, asked, 'the code is shown to nobody')
})

test('an address counts only when the provider says that it is verified', async () => {
  for (const verified of [undefined, false, 'false', 'True', 1, null, {}]) {
    provider.endpoints.set('/me', json({ sub: 'maya', email: 'maya@acme.example', email_verified: verified }))
    assert.deepEqual(await signIn(), failed('unverified'), JSON.stringify(verified))
  }
  provider.endpoints.set('/me', json({ sub: 'maya' }))
  const claims = { email: 'maya@acme.example', xms_edov: true }
  assert.deepEqual(await signIn({ claims }), failed('unverified'), 'the claim of Entra, of another provider')
  for (const email of [
    ['maya@acme.example'],
    'maya@acme.example\0',
    ' maya@acme.example',
    `${'m'.repeat(300)}@acme.example`,
  ]) {
    provider.endpoints.set('/me', json({ sub: 'maya', email, email_verified: true }))
    assert.deepEqual(await signIn(), failed('unknown'), JSON.stringify(email))
  }
  const bound = await app.db.selectFrom('admin_identities').selectAll().execute()
  assert.deepEqual(bound, [])
})

test('a time of proof that no clock has shown gives no fresh proof', async () => {
  for (const auth_time of [-1e20, 1e20, Number.MAX_SAFE_INTEGER]) {
    assert.equal((await signIn({ claims: { auth_time } })).session, false, `${auth_time}`)
  }
})

let poured = 0
const huge = (response: ServerResponse) => {
  const { socket } = response
  response.on('close', () => {
    poured = Math.max(poured, socket?.bytesWritten ?? 0)
  })
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed) if (!response.write('{"a":'.repeat(13_000))) return void response.once('drain', more)
  }
  more()
}
const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, 0x20))
const packed = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
const inwardly = (status: number) => (response: ServerResponse) =>
  void response.writeHead(status, { location: `${provider.insideOrigin}/stolen` }).end()

// Another app for each, since a good configuration is kept for an hour, and keys for some minutes.
const paths = ['/.well-known/openid-configuration', '/token', '/jwks', '/me']
for (const path of paths)
  test(`what ${path} answers wrongly signs nobody in, and leads nowhere else`, async (t) => {
    const faults: [title: string, answer: (response: ServerResponse) => void][] = [
      ['has no end', huge],
      ['would unpack to 64 MiB', packed],
      ...[301, 302, 303, 307, 308].map((status): [string, (response: ServerResponse) => void] => [
        `leads inward with ${status}`,
        inwardly(status),
      ]),
      ['is no JSON', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')],
      ['is null', (response) => json(null)(response)],
      ['is an error', (response) => json({ error: 'server_error' }, 500)(response)],
      [
        'is cut off',
        (response) => void response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
      ],
    ]
    for (const [title, answer] of faults) {
      await t.test(title, async () => {
        provider.reset()
        const outcome = await withFresh(async () => {
          if (path !== '/token') provider.endpoints.set(path, answer)
          return attempt(path === '/token' ? answer : undefined)
        })
        assert.equal(outcome.session, false)
        assert.match(outcome.to ?? '', /#oidc=(?:refused|unavailable)$/)
        assert.equal(provider.inward(), 0)
        assert.ok(poured < 32 * 2 ** 20, `${poured} bytes`)
      })
    }
  })

type Attempted = { to: string | undefined; session: boolean }

/** Forgets what is known of the provider by asking it again an hour later. */
async function withFresh(work: () => Promise<Attempted>): Promise<Attempted> {
  hours += 2
  app.setNow(new Date(Math.floor(performance.timeOrigin + performance.now()) + hours * 3_600_000).toISOString())
  return work()
}
let hours = 0

async function attempt(tokenAnswer?: (response: ServerResponse) => void): Promise<Attempted> {
  const answer = await openBrowser(app).ask('GET', '/session/oidc/start')
  const location = answer.headers['location'] ?? ''
  if (!location.startsWith(provider.issuer)) return { to: location, session: false }
  const { searchParams } = new URL(location)
  const idToken = await provider.sign({ nonce: searchParams.get('nonce') ?? '' })
  const good = json({ access_token: 'at', token_type: 'Bearer', id_token: idToken })
  provider.endpoints.set('/token', tokenAnswer ?? good)
  const cookie = String(answer.headers['set-cookie'] ?? '').split(';', 1)[0] ?? ''
  return comeBack({ code: 'c', state: searchParams.get('state') ?? '', iss: provider.issuer }, cookie)
}

test('documents that name endpoints inside of the network lead nowhere', async () => {
  for (const member of ['token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const) {
    const outcome = await withFresh(async () => {
      const elsewhere = { ...provider.metadata, [member]: `${provider.insideOrigin}/stolen` }
      provider.endpoints.set('/.well-known/openid-configuration', json(elsewhere))
      return attempt()
    })
    assert.equal(outcome.session, false, member)
    assert.equal(provider.inward(), 0, member)
  }
  const other = await withFresh(async () => {
    provider.endpoints.set(
      '/.well-known/openid-configuration',
      json({ ...provider.metadata, issuer: 'https://x.example' }),
    )
    return attempt()
  })
  assert.equal(other.session, false)
})

test('a host beside that of the settings is reached by https at public addresses only', async () => {
  const fetch = guardedFetch({
    trustedOrigin: 'https://id.example',
    resolve: (_host, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const causeOf = async (url: string) => {
    const error = await fetch(url).catch((thrown: unknown) => thrown)
    const { cause } = error as { cause?: { code?: string; message: string } }
    return cause?.code ?? cause?.message
  }
  assert.equal(await causeOf('https://other.example/'), 'ADDRESS_REFUSED')
  assert.equal(await causeOf('https://10.0.0.1/'), 'ADDRESS_REFUSED')
  assert.match(String(await causeOf(`${provider.insideOrigin}/`)), /plain http/)
  // It is dialed, and nobody answers there.
  assert.equal(await causeOf('https://id.example/'), 'ECONNREFUSED')
  assert.equal(provider.inward(), 0)
})
