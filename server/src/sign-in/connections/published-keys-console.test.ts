import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { json, startHostileProvider } from '../../../test/support/hostile-provider.ts'

const caller = await startHostileProvider()
after(() => caller.stop())
const app = testApp({ env: { MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' } })

beforeEach(async () => {
  caller.reset()
  await app.reset()
})

const at = '/session/sign_in_connections'
const redirects = { redirect_uris: ['https://payroll.example.com/callback'] }
const published = () => ({
  ...{ kind: 'second_step', name: 'Payroll', ...redirects },
  request_keys_url: `${caller.issuer}/jwks`,
})

async function signedIn() {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  const shown = async (id: string) => (await browser.ask('GET', `/views/sign_in_connections/${id}`)).body
  return { ...browser, shown }
}

test('a connection is given the address where its caller publishes its keys, and keys in its place', async () => {
  const browser = await signedIn()
  const { status, body } = await browser.ask('POST', at, published())
  assert.equal(status, 200, JSON.stringify(body))
  const made = await browser.shown(body.id)
  const { kid, n } = caller.jwk
  assert.deepEqual(
    [made.request_keys_url, made.request_algorithm, made.request_keys.keys.map((key: typeof caller.jwk) => key.n)],
    [published().request_keys_url, 'RS256', [n]],
  )
  // Another member of the connection leaves it as it is.
  await browser.ask('PATCH', `${at}/${body.id}`, { name: 'Pay' })
  assert.equal((await browser.shown(body.id)).request_keys_url, published().request_keys_url)
  const keys = { keys: [{ ...caller.jwk, kid: `${kid}-2` }] }
  assert.equal((await browser.ask('PATCH', `${at}/${body.id}`, { request_keys: keys })).status, 204)
  const given = await browser.shown(body.id)
  assert.deepEqual([given.request_keys_url, given.request_keys.keys[0].kid], [null, 'one-2'])
})

test('an address without keys is refused at its field, and adds no connection', async () => {
  const browser = await signedIn()
  for (const [answer, message] of [
    [json({ keys: [] }), /must lead to a JWK set/],
    [json({ keys: [{ ...caller.jwk, kid: 'one\0' }] }), /must lead to a JWK set/],
    [json({ keys: [{ ...caller.jwk, kid: '\ud800' }] }), /must lead to a JWK set/],
    [json({}, 404), /must answer with 200, not with 404/],
  ] as const) {
    caller.endpoints.set('/jwks', answer)
    const { status, body } = await browser.ask('POST', at, published())
    assert.deepEqual([status, body.errors[0].field], [422, 'request_keys_url'])
    assert.match(body.errors[0].message, message)
  }
  const inner = await browser.ask('POST', at, { ...published(), request_keys_url: 'https://10.0.0.1/jwks' })
  assert.match(inner.body.errors[0].message, /publicly reachable host/)
  const unknown = await browser.ask('POST', at, { ...published(), request_keys_url: 'https://id.invalid/jwks' })
  assert.match(unknown.body.errors[0].message, /^could not be looked up/)
  assert.deepEqual(await app.db.selectFrom('signin_connections').select('id').execute(), [])
})
