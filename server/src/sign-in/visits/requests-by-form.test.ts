import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { honestUpstream } from '../../../test/support/honest-upstream.ts'
import { signInBrowser } from '../../../test/support/sign-in-browser.ts'
import { transact } from '../../base/db/transact.ts'
import { createConnection } from '../connections/create-connection.ts'

const { stage, change, setUp, pass, tokensOf } = await honestUpstream()

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** A page of an application has posted a form here. The browser sends no cookie of ours along. */
const post = (browser: ReturnType<typeof signInBrowser>, body: string, headers: object = {}) =>
  browser.go('/signin/oidc/auth', {
    method: 'POST',
    body,
    headers: { ...form, origin: 'https://app.example', cookie: '', ...headers },
  })

const encoded = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString()

test('a request by POST is answered in place, and its state of 3,000 characters comes back unchanged', async () => {
  const set = await setUp()
  const browser = signInBrowser(stage.app)
  const state = `${'täglich ?&=+%/'.repeat(300)}`.slice(0, 3_000)
  const begun = await post(browser, encoded(set.rp.plainRequest(set.connection.clientId, { state })))
  assert.equal(begun.status, 303, begun.text)
  const away = begun.headers['location'] ?? ''
  const asked = new URL(away).searchParams
  const ours = asked.get('state') ?? ''
  const path = `/signin/${ours.split('.')[0]}`
  const visit = {
    ...browser,
    ...{ away, asked, path, state: ours, nonce: asked.get('nonce') ?? '', reply: begun },
    post: (what: string, body: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body }),
    challenge: async () =>
      JSON.parse((await browser.go(`${path}/challenge`, { method: 'POST', body: {} })).text).challenge as string,
  }
  const { away: answered = '' } = await browser.follow(await pass(set, visit))
  assert.equal(new URL(answered).searchParams.get('state'), state)
  assert.equal((await tokensOf(set, answered)).status, 200)
})

test('a signed request that is longer than any address begins a sign-in, and is kept without its signature', async () => {
  const set = await setUp()
  const { rp } = set
  const connection = await transact(stage.db, (tx) =>
    createConnection(
      tx,
      stage.secrets,
      { name: 'Okta', kind: 'second_step', redirectUris: [rp.redirectUri], requestKeys: [rp.jwk] },
      change(),
    ),
  )
  const { clientId } = connection
  const chain = Array.from({ length: 3 }, () => 'M'.repeat(10_000))
  const request = await new SignJWT(rp.plainRequest(clientId, { login_hint: 'ana@example.com' }))
    .setProtectedHeader({ alg: 'RS256', kid: 'rp', x5c: chain })
    .setIssuer(clientId)
    .setAudience('https://muster.test/signin/oidc')
    .setIssuedAt(new Date(stage.now()))
    .sign(rp.keys.privateKey)
  assert.ok(request.length > 40_000)
  const { status, headers, text } = await post(signInBrowser(stage.app), encoded({ client_id: clientId, request }))
  assert.deepEqual([status, /^\/signin\/[0-9a-f]{24}$/.test(headers['location'] ?? '')], [303, true], text)
  const { interaction } = await stage.db.selectFrom('signin_sessions').select('interaction').executeTakeFirstOrThrow()
  assert.ok(JSON.stringify(interaction).length < 2_000)
})

test('what stands in the address of a POST counts for nothing', async () => {
  const set = await setUp()
  const parameters = encoded(set.rp.plainRequest(set.connection.clientId))
  const { status, text } = await signInBrowser(stage.app).go(`/signin/oidc/auth?${parameters}`, {
    method: 'POST',
    body: 'scope=openid',
    headers: form,
  })
  assert.deepEqual([status, /invalid_request/.test(text)], [400, true])
})

test('a request that nobody accepts is refused on a page, or to its application, and never begins a sign-in', async () => {
  const set = await setUp()
  const browser = signInBrowser(stage.app)
  const good = set.rp.plainRequest(set.connection.clientId)
  const asPage = async (body: string, headers: object = {}) => {
    const { status, headers: answer, text } = await post(browser, body, headers)
    assert.match(answer['content-type'] ?? '', /^text\/html/)
    assert.match(text, /This sign-in cannot start/)
    return status
  }
  assert.equal(await asPage(''), 400)
  assert.equal(await asPage('client_id=nobody'), 400)
  assert.equal(await asPage(`${encoded(good)}&client_id=${good['client_id']}`), 400)
  assert.equal(await asPage(encoded({ ...good, redirect_uri: 'https://elsewhere.example/' })), 400)
  assert.equal(await asPage(JSON.stringify(good), { 'content-type': 'application/json' }), 415)
  const { location = '' } = (await post(browser, encoded({ ...good, state: 'x'.repeat(9_000) }))).headers
  assert.equal(new URL(location).searchParams.get('error'), 'invalid_request')
  assert.deepEqual(await stage.db.selectFrom('signin_sessions').select('id').execute(), [])
})

test('a form of 64 kB is read, and a longer one is not', async () => {
  const set = await setUp()
  const good = set.rp.plainRequest(set.connection.clientId)
  // What no one asks for is not kept.
  const filled = (bytes: number) => `${encoded(good)}&other=`.padEnd(bytes, 'x')
  assert.equal((await post(signInBrowser(stage.app), filled(64 * 1024))).status, 303)
  assert.equal((await post(signInBrowser(stage.app), filled(64 * 1024 + 1))).status, 413)
})

test('sign-ins by POST are counted by network, whatever cookies the browser has', async () => {
  const set = await setUp()
  const body = encoded(set.rp.plainRequest(set.connection.clientId))
  const begin = async () => (await post(signInBrowser(stage.app), body)).status
  assert.equal(await begin(), 303)
  const others = await Promise.all(Array.from({ length: 59 }, begin))
  assert.deepEqual(new Set(others), new Set([303]))
  assert.equal(await begin(), 429)
})
