import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { oidcClient, startIdentityProvider } from '../../../test/support/identity-provider.ts'
import { makeIn } from '../../../test/support/make.ts'

const callback = `${baseUrl}/console/api/session/oidc/callback`
const provider = await startIdentityProvider(callback)
after(() => provider.stop())

const app = testApp({
  env: {
    MUSTER_OIDC_ISSUER: provider.issuer,
    MUSTER_OIDC_CLIENT_ID: oidcClient.id,
    MUSTER_OIDC_CLIENT_SECRET: oidcClient.secret,
    MUSTER_OIDC_NAME: 'Example ID',
  },
})
const make = makeIn(app)

beforeEach(async () => {
  // The provider has no other clock.
  app.setNow(new Date(Math.floor(performance.timeOrigin + performance.now())).toISOString())
  provider.accounts.clear()
  provider.accounts.set('maya', { email: 'Maya@acme.example', emailVerified: true })
  await app.reset()
})

const lastEntry = async () => (await app.ask('GET', '/audit_logs?per_page=1')).body.data[0].description
const cookieOf = (given: unknown, name: string): string =>
  [given]
    .flat()
    .map((one) => String(one).split(';', 1)[0] ?? '')
    .find((one) => one.startsWith(`__Host-${name}=`) && !one.endsWith('=')) ?? ''

/** What a browser keeps: where it is sent, and the cookie for the way back. */
async function begin(query = '') {
  const answer = await openBrowser(app).ask('GET', `/session/oidc/start${query}`)
  assert.equal(answer.status, 303)
  return { url: answer.headers['location'] ?? '', cookie: cookieOf(answer.headers['set-cookie'], 'muster_oidc') }
}

async function comeBack(url: string, cookie: string) {
  assert.ok(url.startsWith(callback), url)
  const answer = await app.ask('GET', url.slice(baseUrl.length), {
    key: undefined,
    headers: { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  })
  assert.equal(answer.status, 303)
  const session = cookieOf(answer.headers['set-cookie'], 'muster_session')
  return { to: answer.headers['location'], session }
}

async function signIn(login = 'maya', query = '') {
  const { url, cookie } = await begin(query)
  return comeBack(await provider.walk(url, login), cookie)
}

const read = async (session: string) =>
  (await openBrowser(app).ask('GET', '/session', undefined, { cookie: session })).body

test('an administrator without a password signs in through the identity provider', async () => {
  const { id } = await make.adminUser(app.tenant.organizationId, { email: 'maya@acme.example' })
  assert.equal((await openBrowser(app).ask('GET', '/session/options')).body.identity_provider, 'Example ID')
  const { url } = await begin()
  const asked = Object.fromEntries(new URL(url).searchParams)
  assert.deepEqual(
    { ...asked, state: '', nonce: '', code_challenge: '' },
    {
      client_id: 'muster',
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      state: '',
      nonce: '',
      code_challenge: '',
    },
  )
  const first = await signIn()
  assert.equal(first.to, `${baseUrl}/console/`)
  assert.equal((await read(first.session)).administrator.id, id)
  assert.match(
    await lastEntry(),
    /^Signed in to the console through the identity provider "Example ID", for the first time\.$/,
  )
  assert.equal((await read((await signIn()).session)).administrator.id, id)
  assert.equal(await lastEntry(), 'Signed in to the console through the identity provider "Example ID".')
})

test('after the first time the provider’s own identifier counts, not the address', async () => {
  const { id } = await addAdmin(app)
  await signIn()
  provider.accounts.set('maya', { email: 'maya.lindqvist@acme.example', emailVerified: true })
  assert.equal((await read((await signIn()).session)).administrator.id, id)
  provider.accounts.set('impostor', { email: 'maya@acme.example', emailVerified: true })
  const impostor = await signIn('impostor')
  assert.deepEqual(impostor, { to: `${baseUrl}/console/sign-in#oidc=unknown`, session: '' })
})

test('who is no administrator, or whose address is not verified, is turned away', async () => {
  await addAdmin(app)
  const turnedAway = { to: `${baseUrl}/console/sign-in#oidc=unknown`, session: '' }
  provider.accounts.set('tom', { email: 'tom@acme.example', emailVerified: true })
  assert.deepEqual(await signIn('tom'), turnedAway)
  provider.accounts.set('maya', { email: 'maya@acme.example', emailVerified: false })
  assert.deepEqual(await signIn('maya'), { to: `${baseUrl}/console/sign-in#oidc=unverified`, session: '' })
})

test('whom Muster has deprovisioned as a person is turned away', async () => {
  const { id } = await make.adminUser(app.tenant.organizationId, { email: 'maya@acme.example' })
  const { session } = await signIn()
  assert.equal((await read(session)).administrator.id, id)
  await make.person(app.tenant.organizationId, { email: 'maya@acme.example', deprovisioned_at: app.now() })
  assert.equal((await read(session)).error, 'not_signed_in')
  assert.deepEqual(await signIn(), { to: `${baseUrl}/console/sign-in#oidc=deprovisioned`, session: '' })
})

test('an answer is taken from the browser that asked, once, with its own state', async () => {
  await addAdmin(app)
  const refused = { to: `${baseUrl}/console/sign-in#oidc=refused`, session: '' }
  const expired = { to: `${baseUrl}/console/sign-in#oidc=expired`, session: '' }
  const { url, cookie } = await begin()
  const back = await provider.walk(url, 'maya')
  const other = await begin()
  assert.deepEqual(await comeBack(back, other.cookie), refused)
  assert.deepEqual(await comeBack(back, ''), expired)
  assert.deepEqual(await comeBack(back, `${cookie.slice(0, -4)}AAAA`), expired)
  const changed = new URL(back)
  changed.searchParams.set('state', 'another')
  assert.deepEqual(await comeBack(changed.href, cookie), refused)
  assert.equal((await comeBack(back, cookie)).to, `${baseUrl}/console/`)
  assert.deepEqual(await comeBack(back, cookie), refused)
  const denied = new URL(callback)
  denied.search = new URLSearchParams({ error: 'access_denied', state: 'x', iss: provider.issuer }).toString()
  assert.deepEqual(await comeBack(denied.href, other.cookie), refused)
  app.setNow(new Date(Date.parse(app.now()) + 600_000).toISOString())
  assert.deepEqual(await comeBack(back, cookie), expired)
})

test('a code that was taken from another browser is worth nothing without its verifier', async () => {
  await addAdmin(app)
  const victim = await begin()
  const stolen = new URL(await provider.walk(victim.url, 'maya'))
  const thief = await begin()
  stolen.searchParams.set('state', new URL(thief.url).searchParams.get('state') ?? '')
  assert.deepEqual(await comeBack(stolen.href, thief.cookie), {
    to: `${baseUrl}/console/sign-in#oidc=refused`,
    session: '',
  })
})

test('a fresh proof is one that was given just now', async () => {
  await addAdmin(app)
  const { url } = await begin('?fresh=true')
  const { prompt, max_age } = Object.fromEntries(new URL(url).searchParams)
  assert.deepEqual([prompt, max_age], ['login', '0'])
  const { session } = await signIn('maya', '?fresh=true')
  const until = Date.parse((await read(session)).session.verified_until)
  assert.ok(until > Date.parse(app.now()) + 200_000 && until <= Date.parse(app.now()) + 300_000)
  const usual = await signIn()
  assert.ok(Date.parse((await read(usual.session)).session.verified_until) <= Date.parse(app.now()))
})

test('an address that administers two organizations is signed in to the one it names', async () => {
  const other = await app.addTenant('Globex')
  await addAdmin(app)
  const { id } = await addAdmin(app, { organizationId: other.organizationId })
  assert.equal((await signIn()).to, `${baseUrl}/console/sign-in#oidc=unknown`)
  assert.equal((await read((await signIn('maya', '?organization=Globex')).session)).administrator.id, id)
})

test('nobody is led to the provider by another site, nor by a script', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await openBrowser(app).ask('GET', '/session/oidc/start', undefined, headers)).status, 403)
  const script = { 'sec-fetch-mode': 'cors' }
  assert.equal((await openBrowser(app).ask('GET', '/session/oidc/callback', undefined, script)).status, 403)
  assert.equal((await openBrowser(app).ask('GET', '/session/oidc/start?fresh=maybe')).status, 422)
})
