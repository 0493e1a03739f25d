import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { openAuthenticator } from '../../../test/support/authenticator.ts'
import { addAdmin, type Browser, openBrowser, password } from '../../../test/support/console.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { passkeySite } from './passkey-site.ts'

const app = testApp()
const now = '2026-11-20T11:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString()

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

const refused = { error: 'sign_in_failed', message: 'The passkey is not known here, or its answer is not valid.' }
const entries = async (count: number): Promise<string[]> =>
  (await app.ask('GET', `/audit_logs?per_page=${count}`)).body.data.map(
    (row: { description: string }) => row.description,
  )

type Authenticator = ReturnType<typeof openAuthenticator>

const challengeFor = async (browser: Browser, path: string): Promise<string> =>
  (await browser.ask('POST', path)).body.options.challenge
const add = async (browser: Browser, authenticator: Authenticator, faults = {}) => {
  const challenge = await challengeFor(browser, '/session/passkeys/options')
  return browser.ask('POST', '/session/passkeys', { name: 'Laptop', response: authenticator.create(challenge, faults) })
}
const signIn = async (authenticator: Authenticator, faults = {}, browser = openBrowser(app)) => {
  const challenge = await challengeFor(browser, '/session/passkey/options')
  return browser.ask('POST', '/session/passkey/sign_in', { response: authenticator.get(challenge, faults) })
}

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return { ...admin, browser }
}

async function withPasskey(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await signedIn(wanted)
  const authenticator = openAuthenticator(baseUrl)
  const added = await add(admin.browser, authenticator)
  assert.equal(added.status, 200)
  return { ...admin, authenticator, passkeyId: added.body.id, recoveryCodes: added.body.recovery_codes as string[] }
}

test('a passkey is added with recovery codes and signs in alone; the password then does not', async () => {
  const { browser, email, authenticator, passkeyId, recoveryCodes } = await withPasskey()
  assert.equal(recoveryCodes.length, 10)
  const answer = await signIn(authenticator)
  assert.deepEqual([answer.status, answer.body.administrator?.email], [200, email])
  assert.equal((await openBrowser(app).signIn(email)).body.error, 'code_needed')
  const recovered = await openBrowser(app).ask('POST', '/session/sign_in', { email, password, code: recoveryCodes[3] })
  assert.equal(recovered.status, 200)
  const { passkeys, recovery_codes_left } = (await browser.ask('GET', '/session/account')).body
  assert.deepEqual(passkeys, [{ id: passkeyId, name: 'Laptop', is_synced: false, created_at: now, last_used_at: now }])
  assert.equal(recovery_codes_left, 9)
  assert.deepEqual((await entries(3)).slice(1), [
    'Signed in to the console with the passkey "Laptop".',
    'Added the passkey "Laptop", with ten recovery codes.',
  ])
  const second = await add(browser, openAuthenticator(baseUrl))
  assert.deepEqual(second.body.recovery_codes, [])
})

test('what another site, another name or an unverified person signed opens nothing', async () => {
  const { browser, authenticator } = await withPasskey()
  const faults = [
    { origin: 'https://muster.test.evil.example' },
    { origin: 'http://muster.test' },
    { rpId: 'evil.example' },
    { isUserVerified: false },
  ]
  for (const fault of faults) {
    const answer = await signIn(authenticator, fault)
    assert.deepEqual([answer.status, answer.body], [401, refused], JSON.stringify(fault))
    const added = await add(browser, openAuthenticator(baseUrl), fault)
    assert.deepEqual(added.body.errors, [{ field: 'response', message: 'is not what was asked for' }])
  }
  assert.deepEqual((await signIn(openAuthenticator(baseUrl))).body, refused)
  const ask = (response: unknown) => openBrowser(app).ask('POST', '/session/passkey/sign_in', { response })
  for (const response of [{}, { id: 7 }, { id: 'x'.repeat(5_000) }])
    assert.deepEqual((await ask(response)).body, refused)
  const challenge = await challengeFor(browser, '/session/passkey/options')
  const good = authenticator.get(challenge)
  const forged = authenticator.get(challenge, { counter: 9 })
  const mixed = { ...good, response: { ...good.response, signature: forged.response.signature } }
  assert.deepEqual((await ask(mixed)).body, refused)
})

test('a challenge is ours, good once and for five minutes', async () => {
  const { browser, authenticator } = await withPasskey()
  const ask = (challenge: string) =>
    openBrowser(app).ask('POST', '/session/passkey/sign_in', { response: authenticator.get(challenge) })
  const challenge = await challengeFor(browser, '/session/passkey/options')
  assert.equal((await ask(challenge)).status, 200)
  assert.deepEqual((await ask(challenge)).body, refused)
  assert.deepEqual((await ask(Buffer.alloc(36, 7).toString('base64url'))).body, refused)
  assert.deepEqual((await ask(await challengeFor(browser, '/session/passkeys/options'))).body, refused)
  const late = await challengeFor(browser, '/session/passkey/options')
  app.setNow(later(300))
  assert.deepEqual((await ask(late)).body, refused)
})

test('a counter that goes back betrays a copy', async () => {
  const { authenticator } = await withPasskey()
  assert.equal((await signIn(authenticator, { counter: 5 })).status, 200)
  assert.deepEqual((await signIn(authenticator, { counter: 5 })).body, refused)
  assert.equal((await signIn(authenticator, { counter: 6 })).status, 200)
})

testOnPostgres('a signature that is sent twice at once is good once', async () => {
  const { browser, authenticator } = await withPasskey()
  const response = authenticator.get(await challengeFor(browser, '/session/passkey/options'))
  const answers = await Promise.all(
    [1, 2, 3].map(() => openBrowser(app).ask('POST', '/session/passkey/sign_in', { response })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401])
})

test('a passkey gives a fresh proof to the session of its own administrator', async () => {
  const { browser, authenticator } = await withPasskey()
  const other = await signedIn({ email: 'tom@acme.example' })
  app.setNow(later(300))
  const prove = async (asker: Browser) => {
    const challenge = await challengeFor(asker, '/session/passkey/options')
    return asker.ask('POST', '/session/passkey/step_up', { response: authenticator.get(challenge) })
  }
  assert.equal((await browser.ask('POST', '/session/passkeys/options')).body.error, 'step_up_needed')
  assert.deepEqual((await prove(other.browser)).body, refused)
  const proved = await prove(browser)
  assert.deepEqual([proved.status, proved.body.session.verified_until], [200, later(600)])
  assert.equal((await browser.ask('POST', '/session/passkeys/options')).status, 200)
})

test('a removed passkey opens nothing, and with the last one the recovery codes go', async () => {
  const { browser, email, authenticator, passkeyId } = await withPasskey()
  const other = await signedIn({ email: 'tom@acme.example' })
  assert.equal((await other.browser.ask('DELETE', `/session/passkeys/${passkeyId}`)).status, 404)
  assert.equal((await browser.ask('DELETE', `/session/passkeys/${passkeyId}`)).status, 204)
  assert.equal((await browser.ask('DELETE', `/session/passkeys/${passkeyId}`)).status, 404)
  assert.deepEqual((await signIn(authenticator)).body, refused)
  assert.equal((await browser.ask('GET', '/session/account')).body.recovery_codes_left, 0)
  assert.equal((await openBrowser(app).signIn(email)).status, 200)
})

test('a passkey is one administrator’s, and is not taken for another’s', async () => {
  const { authenticator } = await withPasskey()
  const other = await signedIn({ email: 'tom@acme.example' })
  const again = await add(other.browser, authenticator)
  assert.deepEqual(again.body.errors, [{ field: 'response', message: 'is already registered' }])
})

test('passkeys need a host name', () => {
  assert.deepEqual(passkeySite('http://localhost:8080'), { rpId: 'localhost', origin: 'http://localhost:8080' })
  assert.equal(passkeySite('https://192.0.2.7'), undefined)
  assert.equal(passkeySite('https://[2001:db8::7]:8443'), undefined)
})

test('a link in the place of a passkey is a reset, which takes the passkey away', async () => {
  const { id, authenticator } = await withPasskey()
  await app.db.deleteFrom('admin_credentials').execute()
  const { browser } = await signedIn({ email: 'tom@acme.example' })
  const invited = await browser.ask('POST', `/session/administrators/${id}/invite`)
  assert.deepEqual(invited.body.errors, [{ field: 'id', message: 'signs in already: reset how they do instead' }])
  assert.equal((await browser.ask('POST', `/session/administrators/${id}/reset`)).status, 200)
  assert.deepEqual((await signIn(authenticator)).body, refused)
})
