import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, type Browser, openBrowser, password } from '../../../test/support/console.ts'
import { afterFailure, failuresNow, networkRule, ownRule, secondsClosed, strangersRule } from './rules.ts'
import { runConsoleAccessRetention } from './run-console-access-retention.ts'
import { admitAttempt } from './throttle-sign-ins.ts'

// Trust in the proxy lets a test come from any address.
const app = testApp({ env: { MUSTER_TRUST_PROXY: 'true' } })
const now = '2026-11-20T11:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString()

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

const home = '198.51.100.7'
const away = '203.0.113.9'
const attempt = (browser: Browser, email: string, ipAddress: string, tried = 'wrong', code?: string) =>
  browser.ask('POST', '/session/sign_in', { email, password: tried, code }, { 'x-forwarded-for': ipAddress })

/** Counts failed tries of a stranger as the route does, without the time that a hash takes. */
const fail = (email: string, ipAddress: string) =>
  admitAttempt(app.db, app.secrets, { email, source: { ipAddress }, deviceCookie: undefined, now: app.now() })

async function lockOut(email: string, networks: readonly string[], tries = 8): Promise<void> {
  for (const ipAddress of networks) for (let count = 0; count < tries; count += 1) await fail(email, ipAddress)
}

test('failed attempts at an account close it for their network, not for its owner', async () => {
  const { email } = await addAdmin(app)
  await lockOut(email, [away])
  assert.equal((await attempt(openBrowser(app), email, away, password)).status, 429)
  assert.equal((await attempt(openBrowser(app), email, home, password)).status, 200)
})

test('one network alone never closes an account for others, however long it continues', async () => {
  const { email } = await addAdmin(app)
  let heard = 0
  for (let at = 0; at < 3 * 86_400; at += 901) {
    app.setNow(later(at))
    if ((await fail(email, away)).waitSeconds === 0) heard += 1
  }
  assert.ok(heard > 280 && heard <= 288, `${heard}`)
  assert.equal((await attempt(openBrowser(app), email, home, password)).status, 200)
})

test('strangers of many networks together are slowed down, and someone who has signed in with a browser is not', async () => {
  const { email } = await addAdmin(app)
  const known = openBrowser(app)
  assert.equal((await attempt(known, email, home, password)).status, 200)
  const networks = Array.from({ length: 13 }, (_, index) => `203.0.113.${index}`)
  await lockOut(email, networks, 5)
  const stranger = await attempt(openBrowser(app), email, home, password)
  assert.deepEqual([stranger.status, stranger.headers['retry-after']], [429, '1'])
  assert.equal((await attempt(known, email, home, password)).status, 200)
  const [entry] = (await app.ask('GET', '/audit_logs?per_page=2')).body.data.toReversed()
  assert.match(JSON.stringify(entry), /someone signed in again with the same browser/)
  assert.match(
    JSON.stringify((await app.ask('GET', '/audit_logs?per_page=1')).body.data),
    /after 60 failed tries for this address/,
  )
  // Its owner has been there: strangers are heard again.
  assert.equal((await attempt(openBrowser(app), email, home, password)).status, 200)
})

test('a browser that is known for one account is a stranger at another, and has limits of its own', async () => {
  const { email } = await addAdmin(app)
  const { email: other } = await addAdmin(app, { email: 'tom@acme.example' })
  const browser = openBrowser(app)
  assert.equal((await attempt(browser, email, home, password)).status, 200)
  for (let count = 0; count < 5; count += 1) assert.equal((await attempt(browser, email, home)).status, 401)
  assert.equal((await attempt(browser, email, home, password)).status, 429)
  // Not even from elsewhere, but an attempt with another browser is heard.
  assert.equal((await attempt(browser, email, away, password)).status, 429)
  assert.equal((await attempt(openBrowser(app), email, home, password)).status, 200)
  for (let count = 0; count < 5; count += 1) assert.equal((await attempt(browser, other, home)).status, 401)
  assert.equal((await attempt(openBrowser(app), other, home, password)).status, 429)
})

test('two people who share a browser are both known there, and a cookie that nobody signed is no proof', async () => {
  const { email } = await addAdmin(app)
  const { email: other } = await addAdmin(app, { email: 'tom@acme.example' })
  const browser = openBrowser(app)
  await attempt(browser, email, home, password)
  const given = await attempt(browser, other, home, password)
  const cookie = [given.headers['set-cookie'] ?? []].flat()[1]?.split(';')[0] ?? ''
  assert.match(cookie, /^__Host-muster_device=[\w-]{48}\.[\w-]{48}$/)
  for (const who of [email, other]) {
    await lockOut(
      who,
      Array.from({ length: 13 }, (_, index) => `203.0.113.${index}`),
      5,
    )
    assert.equal((await attempt(openBrowser(app), who, home, password)).status, 429)
  }
  const from = (device: string, at: string) =>
    openBrowser(app).ask(
      'POST',
      '/session/sign_in',
      { email, password: 'wrong' },
      { cookie: device, 'x-forwarded-for': at },
    )
  assert.equal((await from(cookie, home)).status, 401)
  const forged = [
    cookie.replace(/.{3}$/, 'AAA'),
    cookie.replace(/=.{48}\./, `=${'A'.repeat(48)}.`),
    '__Host-muster_device=',
  ]
  assert.equal((await from(forged[1] ?? '', home)).status, 401, 'the second entry is as it was')
  for (const device of [forged[2] ?? '', `__Host-muster_device=${'A'.repeat(48)}`]) {
    assert.equal((await from(device, home)).status, 429, device)
  }
  app.setNow(later(90 * 86_400))
  await app.db
    .updateTable('sign_in_throttles')
    .set({ closed_until: later(90 * 86_400 + 60) })
    .execute()
  assert.equal((await from(cookie, home)).status, 429, 'after 90 days it is forgotten')
})

test('a live session proves itself by tries of its own, whatever strangers do', async () => {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await attempt(browser, email, home, password)
  await lockOut(
    email,
    Array.from({ length: 13 }, (_, index) => `203.0.113.${index}`),
    5,
  )
  assert.equal((await attempt(openBrowser(app), email, home, password)).status, 429)
  const prove = (tried: string) => browser.ask('POST', '/session/step_up', { password: tried })
  for (let count = 0; count < 5; count += 1) assert.equal((await prove('wrong')).status, 401)
  assert.equal((await prove(password)).status, 429)
  // The failures of the session are not those of the browser.
  assert.equal((await attempt(browser, email, home, password)).status, 200)
  assert.equal((await prove(password)).status, 200)
})

test('signing in again ends the session that the browser had, and says so', async () => {
  const { id, email } = await addAdmin(app)
  const { email: other } = await addAdmin(app, { email: 'tom@acme.example' })
  const browser = openBrowser(app)
  await attempt(browser, email, home, password)
  const { cookie = '' } = browser
  const elsewhere = openBrowser(app)
  await attempt(elsewhere, email, away, password)
  await attempt(browser, other, home, password)
  const status = async (header: string) =>
    (await openBrowser(app).ask('GET', '/session', undefined, { cookie: header })).status
  assert.deepEqual([await status(cookie), await status(browser.cookie ?? '')], [401, 200])
  assert.equal(await status(elsewhere.cookie ?? ''), 200, 'another browser of the same administrator stays')
  const [, entry] = await app.db.selectFrom('audit_logs').selectAll().orderBy('id', 'desc').limit(2).execute()
  assert.deepEqual(
    [entry?.description, entry?.actor_id, entry?.ip_address],
    ['Signed out of the console: someone signed in again with the same browser.', id, home],
  )
  // A wrong password ends nothing.
  await attempt(browser, email, home)
  assert.equal(await status(browser.cookie ?? ''), 200)
})

test('what failed long ago is forgotten bit by bit, and its rows go', async () => {
  const { email } = await addAdmin(app)
  await lockOut(email, [away], 5)
  await attempt(openBrowser(app), 'nobody@acme.example', home)
  const count = async () => (await app.db.selectFrom('sign_in_throttles').select('subject_hash').execute()).length
  assert.equal(await count(), 6)
  await runConsoleAccessRetention(app.db, later(3_600))
  assert.equal(await count(), 6)
  await runConsoleAccessRetention(app.db, later(3_700))
  assert.equal(await count(), 3)
  await runConsoleAccessRetention(app.db, later(5 * 3_600 + 100))
  assert.equal(await count(), 0)
})

test('rules of the throttle', () => {
  const fresh = { failures: 0, lastFailedAt: now, closedUntil: now }
  const failing = (count: number, rule: typeof ownRule) =>
    Array.from({ length: count }).reduce<typeof fresh>((before) => afterFailure(before, rule, now), fresh)
  const waits = (rule: typeof ownRule, counts: readonly number[]) =>
    counts.map((count) => secondsClosed(failing(count, rule), rule, now))
  assert.deepEqual(waits(ownRule, [4, 5, 6, 7, 14, 15, 40, 2_000]), [0, 1, 2, 4, 512, 900, 900, 900])
  assert.deepEqual(waits(networkRule, [49, 50, 51]), [0, 1, 2])
  assert.deepEqual(waits(strangersRule, [59, 60, 61]), [0, 1, 2])
  const six = failing(6, ownRule)
  assert.deepEqual([failuresNow(six, ownRule, later(3_599)), failuresNow(six, ownRule, later(2 * 3_600))], [6, 4])
  assert.equal(failuresNow(six, ownRule, later(86_400)), 0)
  // The clock went back by days: nobody is closed out until it catches up, and failures still count.
  const before = later(-5 * 86_400)
  assert.deepEqual([secondsClosed(six, ownRule, before), failuresNow(six, ownRule, before)], [0, 6])
  assert.equal(secondsClosed(afterFailure(six, ownRule, before), ownRule, before), 4)
})

// The origin of the app, so that a request that says nothing else is one of its own pages.
const origin = baseUrl

test('before a session, a request from another site is refused and counts for nothing', async () => {
  const { email } = await addAdmin(app)
  const open: [path: string, body: object][] = [
    ['/session/sign_in', { email, password }],
    ['/session/passkey/options', {}],
    ['/session/passkey/sign_in', { response: {} }],
    ['/session/link', { token: 'mstr_link_nothing' }],
    ['/session/link/accept', { token: 'mstr_link_nothing', password }],
  ]
  const strangers: [title: string, headers: Record<string, string>][] = [
    ['neither says', {}],
    ['another origin', { origin: 'https://evil.example' }],
    [
      'another origin that claims to be the same site',
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ],
    ['no origin', { origin: 'null' }],
    ['no origin, same site', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['a sister', { 'sec-fetch-site': 'same-site' }],
    ['a sister with our origin', { origin, 'sec-fetch-site': 'same-site' }],
    ['another site', { origin, 'sec-fetch-site': 'cross-site' }],
    ['an address that was typed', { 'sec-fetch-site': 'none' }],
    ['an origin that begins alike', { origin: `${origin}.evil.example` }],
    ['plain http', { origin: origin.replace('https:', 'http:') }],
    ['another port', { origin: `${origin}:8443` }],
    ['an empty origin', { origin: '' }],
  ]
  for (const [path, body] of open) {
    for (const [title, headers] of strangers) {
      for (const form of [undefined, 'text/plain']) {
        const { status, body: answer } = await app.ask('POST', `/console/api${path}`, {
          key: undefined,
          headers: { ...headers, ...(form && { 'content-type': form }) },
          body: form ? JSON.stringify(body) : body,
        })
        assert.deepEqual([status, answer.error], [403, 'cross_site'], `${path}: ${title}`)
      }
    }
  }
  assert.deepEqual(await app.db.selectFrom('sign_in_throttles').selectAll().execute(), [])
  const own = (headers: Record<string, string>) =>
    app.ask('POST', '/console/api/session/sign_in', { key: undefined, headers, body: { email, password } })
  assert.equal((await own({ origin })).status, 200)
  assert.equal((await own({ 'sec-fetch-site': 'same-origin' })).status, 200)
})
