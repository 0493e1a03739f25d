import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { runConsoleAccessRetention } from './run-console-access-retention.ts'
import { totpCode } from './totp.ts'

const app = testApp()
const now = '2026-11-20T11:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString()

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

const entries = async (count: number): Promise<string[]> =>
  (await app.ask('GET', `/audit_logs?per_page=${count}`)).body.data.map(
    (row: { description: string }) => row.description,
  )
const stepUpNeeded = {
  error: 'step_up_needed',
  message: 'Confirm who you are: this needs a confirmation of the last five minutes.',
}
const decode = (text: string): Buffer => {
  const bits = Array.from(text, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
const codeAt = (secret: string, moment: string) => totpCode(decode(secret), Math.floor(Date.parse(moment) / 30_000))

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return { ...admin, browser }
}

/** An administrator with an authenticator app. */
async function withTotp() {
  const { browser, ...admin } = await signedIn()
  const { secret } = (await browser.ask('POST', '/session/totp')).body
  const enabled = await browser.ask('POST', '/session/totp/enable', { code: codeAt(secret, now) })
  assert.equal(enabled.status, 200)
  return { ...admin, browser, secret, recoveryCodes: enabled.body.recovery_codes as string[] }
}

test('sessions are listed with where they are, and any of them is ended', async () => {
  const { email, browser } = await signedIn()
  const other = openBrowser(app)
  app.setNow(later(120))
  await other.ask('POST', '/session/sign_in', { email, password }, { 'user-agent': 'Mozilla/5.0\u0007 (Test)' })
  const { body } = await browser.ask('GET', '/session/account')
  const [second, first] = body.sessions
  assert.deepEqual(body, {
    password_changed_at: now,
    totp_enabled_at: null,
    recovery_codes_left: 0,
    passkeys: [],
    sessions: [
      {
        id: second.id,
        method: 'password',
        ip_address: '127.0.0.1',
        user_agent: 'Mozilla/5.0 (Test)',
        created_at: later(120),
        last_seen_at: later(120),
        is_current: false,
      },
      { ...first, method: 'password', created_at: now, last_seen_at: later(120), is_current: true },
    ],
    deprovisioned_person_id: null,
  })
  assert.equal((await browser.ask('DELETE', `/session/sessions/${second.id}`)).status, 204)
  assert.equal((await other.ask('GET', '/session')).status, 401)
  const missing = { error: 'not_found', message: 'There is no such record.' }
  const stranger = await signedIn({ email: 'tom@acme.example' })
  for (const id of [second.id, '999999', 'x', first.id]) {
    const asker = id === first.id ? stranger.browser : browser
    const answer = await asker.ask('DELETE', `/session/sessions/${id}`)
    assert.deepEqual([answer.status, answer.body], [404, missing], id)
  }
  await other.signIn(email)
  assert.equal((await browser.ask('POST', '/session/sessions/end_others')).status, 204)
  assert.equal((await browser.ask('POST', '/session/sessions/end_others')).status, 204)
  assert.deepEqual(
    [(await other.ask('GET', '/session')).status, (await browser.ask('GET', '/session')).status],
    [401, 200],
  )
  assert.deepEqual(await entries(2), ['Ended 1 session of their own.', 'Signed in to the console with a password.'])
})

test('a proof is good for five minutes, and a new one gives the session another secret', async () => {
  const { browser } = await signedIn()
  app.setNow(later(299))
  assert.equal((await browser.ask('POST', '/session/totp')).status, 200)
  app.setNow(later(300))
  const refused = await browser.ask('POST', '/session/totp')
  assert.deepEqual([refused.status, refused.body], [403, stepUpNeeded])
  const { cookie = '' } = browser
  const wrong = await browser.ask('POST', '/session/step_up', { password: 'wrong' })
  assert.deepEqual(wrong.body, { error: 'sign_in_failed', message: 'The password is wrong.' })
  const proved = await browser.ask('POST', '/session/step_up', { password })
  assert.deepEqual([proved.status, proved.body.session.verified_until], [200, later(600)])
  assert.notEqual(browser.cookie, cookie)
  assert.equal((await browser.ask('GET', '/session', undefined, { cookie })).status, 401)
  assert.equal((await browser.ask('POST', '/session/totp')).status, 200)
  assert.deepEqual(await entries(1), [
    'Confirmed their identity in the console with a password, after 1 failed try for this address.',
  ])
})

test('proofs that fail are counted for the session, and keep nobody from signing in', async () => {
  const { browser, email } = await signedIn()
  for (let count = 0; count < 5; count += 1) await browser.ask('POST', '/session/step_up', { password: 'wrong' })
  assert.equal((await browser.ask('POST', '/session/step_up', { password })).status, 429)
  assert.equal((await openBrowser(app).signIn(email)).status, 200)
})

test('a changed password ends the other sessions and the password before', async () => {
  const { browser, email } = await signedIn()
  const other = openBrowser(app)
  await other.signIn(email)
  const change = (body: object) => browser.ask('POST', '/session/password', body)
  const short = await change({ password, new_password: 'short' })
  assert.deepEqual(short.body.errors, [{ field: 'new_password', message: 'must have at least 12 characters' }])
  const common = await change({ password, new_password: 'password1234' })
  assert.deepEqual(common.body.errors, [
    {
      field: 'new_password',
      message: 'Choose a less common password: this one is in lists of leaked passwords.',
    },
  ])
  assert.equal((await change({ password: 'wrong', new_password: 'two walks at dawn' })).status, 401)
  assert.equal((await change({ password, new_password: 'two walks at dawn' })).status, 200)
  assert.deepEqual(
    [(await other.ask('GET', '/session')).status, (await browser.ask('GET', '/session')).status],
    [401, 200],
  )
  assert.equal((await other.signIn(email)).status, 401)
  assert.equal((await other.signIn(email, 'two walks at dawn')).status, 200)
  assert.match((await entries(2))[1] ?? '', /^Changed the password and ended all other sessions, after proving/)
})

test('with an authenticator app signing in asks for a code, which is good once', async () => {
  const { email, secret, recoveryCodes, browser } = await withTotp()
  assert.equal(recoveryCodes.length, 10)
  const signIn = (code?: string, tried = password) =>
    openBrowser(app).ask('POST', '/session/sign_in', { email, password: tried, ...(code !== undefined && { code }) })
  const asked = await signIn()
  assert.deepEqual(
    [asked.status, asked.body],
    [
      401,
      {
        error: 'code_needed',
        message:
          'Sign in with a passkey, or send a code of the authenticator app or a recovery code with the password.',
      },
    ],
  )
  assert.equal((await signIn(undefined, 'wrong')).body.error, 'sign_in_failed')
  assert.equal((await signIn(codeAt(secret, now))).body.error, 'sign_in_failed')
  app.setNow(later(30))
  assert.equal((await signIn(codeAt(secret, later(30)))).status, 200)
  assert.equal((await signIn(codeAt(secret, later(30)))).body.error, 'sign_in_failed')
  assert.equal((await signIn(recoveryCodes[0])).status, 200)
  assert.equal((await signIn(recoveryCodes[0])).body.error, 'sign_in_failed')
  const { totp_enabled_at, recovery_codes_left } = (await browser.ask('GET', '/session/account')).body
  assert.deepEqual([totp_enabled_at, recovery_codes_left], [now, 9])
  assert.match((await entries(1))[0] ?? '', /^Signed in to the console with a password and a recovery code/)
  assert.equal((await browser.ask('POST', '/session/step_up', { password })).body.error, 'code_needed')
})

test('asking for the code counts as no failure, and guessing it does', async () => {
  const { email } = await withTotp()
  const signIn = (code?: string) =>
    openBrowser(app).ask('POST', '/session/sign_in', { email, password, ...(code !== undefined && { code }) })
  for (let count = 0; count < 8; count += 1) assert.equal((await signIn()).body.error, 'code_needed')
  for (let count = 0; count < 5; count += 1) assert.equal((await signIn('000000')).body.error, 'sign_in_failed')
  assert.equal((await signIn('000000')).status, 429)
  assert.equal((await signIn()).status, 429)
})

testOnPostgres('a code that is sent twice at once is good once', async () => {
  const { email, secret, recoveryCodes } = await withTotp()
  app.setNow(later(30))
  for (const code of [codeAt(secret, later(30)), recoveryCodes[1] ?? '']) {
    const answers = await Promise.all(
      [1, 2, 3].map(() => openBrowser(app).ask('POST', '/session/sign_in', { email, password, code })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401])
  }
})

test('an authenticator app is in use only once it has shown a code, and is taken away with its recovery codes', async () => {
  const { browser, email } = await signedIn()
  assert.equal((await browser.ask('POST', '/session/totp/enable', { code: '123456' })).status, 422)
  assert.equal((await browser.ask('POST', '/session/recovery_codes')).status, 422)
  const { secret, uri } = (await browser.ask('POST', '/session/totp')).body
  assert.match(uri, /^otpauth:\/\/totp\/Muster%20\(Acme\)%3Amaya%40acme\.example\?secret=[A-Z2-7]{32}&issuer=/)
  assert.equal((await openBrowser(app).signIn(email)).status, 200)
  const wrong = await browser.ask('POST', '/session/totp/enable', { code: codeAt(secret, later(300)) })
  assert.deepEqual(wrong.body.errors, [
    { field: 'code', message: 'is not the code that the authenticator app shows now' },
  ])
  assert.equal((await browser.ask('POST', '/session/totp/enable', { code: codeAt(secret, now) })).status, 200)
  assert.equal((await browser.ask('POST', '/session/totp')).status, 422)
  const renewed = await browser.ask('POST', '/session/recovery_codes')
  assert.equal(renewed.body.recovery_codes.length, 10)
  const stored = JSON.stringify(await app.db.selectFrom('admin_credentials').selectAll().execute())
  assert.ok(!stored.includes(secret) && !stored.includes(decode(secret).toString('hex')))
  assert.equal((await browser.ask('DELETE', '/session/totp')).status, 204)
  assert.equal((await browser.ask('DELETE', '/session/totp')).status, 204)
  assert.equal((await openBrowser(app).signIn(email)).status, 200)
  assert.equal((await browser.ask('GET', '/session/account')).body.recovery_codes_left, 0)
  assert.deepEqual((await entries(4)).slice(1), [
    'Took the authenticator app and the recovery codes away: signing in needs no second factor.',
    'Made ten new recovery codes.',
    'Set up an authenticator app as second factor, with ten recovery codes.',
  ])
})

test('what ended a month ago is removed, and what is active stays', async () => {
  const { browser } = await signedIn()
  await openBrowser(app).signIn('nobody@acme.example', 'wrong')
  await runConsoleAccessRetention(app.db, later(3_600))
  assert.equal((await browser.ask('GET', '/session')).status, 200)
  const count = async () => {
    const tables = ['admin_sessions', 'admin_session_lookups', 'sign_in_throttles'] as const
    return Promise.all(tables.map(async (table) => (await app.db.selectFrom(table).selectAll().execute()).length))
  }
  assert.deepEqual(await count(), [1, 1, 3])
  await runConsoleAccessRetention(app.db, later(31 * 86_400))
  assert.deepEqual(await count(), [0, 0, 0])
})

test('preferences follow the person into every browser, and are nobody else’s', async () => {
  const { browser, email } = await signedIn()
  const { browser: other } = await signedIn({ email: 'noor@acme.example', access: 'billing_only' })
  const preferencesOf = async (of: typeof browser) => (await of.ask('GET', '/session')).body.preferences
  assert.deepEqual(await preferencesOf(browser), { single_keys: true, device_columns: null })
  const columns = await browser.ask('PATCH', '/session/preferences', { device_columns: ['seen', 'state'] })
  assert.deepEqual(columns.body, { single_keys: true, device_columns: ['seen', 'state'] })
  const keys = await browser.ask('PATCH', '/session/preferences', { single_keys: false })
  assert.deepEqual(keys.body, { single_keys: false, device_columns: ['seen', 'state'] })
  assert.deepEqual((await browser.ask('PATCH', '/session/preferences', {})).body, keys.body)

  const elsewhere = openBrowser(app)
  assert.deepEqual((await elsewhere.signIn(email)).body.preferences, keys.body)
  assert.deepEqual(await preferencesOf(other), { single_keys: true, device_columns: null })
  assert.equal((await other.ask('PATCH', '/session/preferences', { single_keys: false })).status, 200)
  for (const device_columns of [['seen', 'seen'], ['note'], 'seen']) {
    assert.equal((await browser.ask('PATCH', '/session/preferences', { device_columns })).status, 422)
  }
  assert.deepEqual((await browser.ask('PATCH', '/session/preferences', { device_columns: null })).body, {
    single_keys: false,
    device_columns: null,
  })
  await app.db.deleteFrom('admin_users').where('email', '=', email).execute()
  const left = await app.db.selectFrom('console_preferences').selectAll().execute()
  assert.equal(left.length, 1)
})
