import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { firstRunLink } from './first-run-link.ts'
import { inviteAdmin } from './invite-admin.ts'

const app = testApp()
const make = makeIn(app)
const now = '2026-11-20T11:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString()

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

const tokenOf = (url: string | undefined): string => url?.split('#')[1] ?? assert.fail('there is no link')
const refusal = { error: 'sign_in_failed', message: 'The e-mail address or the password is wrong.' }
const ended = { error: 'link_ended', message: 'This link was used or has expired. Ask for a new one.' }
const entries = async (count: number): Promise<string[]> =>
  (await app.ask('GET', `/audit_logs?per_page=${count}`)).body.data.map(
    (row: { description: string }) => row.description,
  )
const invite = (adminUserId: string, purpose: 'invite' | 'reset' = 'invite') =>
  transact(app.db, (tx) =>
    inviteAdmin(tx, app.secrets, { adminUserId, purpose, baseUrl }, systemChange(app.tenant.organizationId, app.now())),
  )

test('the link of the first run makes the first administrator and signs them in, once', async () => {
  const link = await firstRunLink(app.db, app.secrets, { baseUrl, now })
  const again = await firstRunLink(app.db, app.secrets, { baseUrl, now })
  assert.match(link?.url ?? '', /^https:\/\/muster\.test\/console\/setup#mstr_link_\w+$/)
  const browser = openBrowser(app)
  assert.deepEqual((await browser.ask('GET', '/session/options')).body, {
    needs_organization: false,
    passkeys: true,
    identity_provider: null,
    has_administrators: false,
  })
  const token = tokenOf(link?.url)
  assert.deepEqual((await browser.ask('POST', '/session/link', { token })).body, {
    purpose: 'first_run',
    organization: { id: app.tenant.organizationId, name: 'Acme' },
    email: null,
    expires_at: later(86_400),
  })
  const details = { email: 'maya@acme.example', first_name: 'Maya', last_name: 'Lindqvist' }
  const accepted = await browser.ask('POST', '/session/link/accept', { token, password, ...details })
  assert.equal(accepted.status, 200)
  const { csrf_token: csrfToken, permissions, ...rest } = accepted.body
  assert.match(csrfToken, /^[\w-]{22}$/)
  assert.ok(permissions.includes('reveal_keys'))
  assert.deepEqual(rest, {
    administrator: { id: rest.administrator.id, ...details, access: 'full', restrictions: [] },
    organization: { id: app.tenant.organizationId, name: 'Acme' },
    needs_second_factor: false,
    may_read: true,
    disabled_features: [],
    preferences: { single_keys: true, device_columns: null },
    session: { id: rest.session.id, created_at: now, expires_at: later(43_200), verified_until: later(300) },
  })
  assert.deepEqual((await browser.ask('GET', '/session')).body, accepted.body)
  for (const used of [token, tokenOf(again?.url), 'mstr_link_nothing', '']) {
    const answer = await openBrowser(app).ask('POST', '/session/link/accept', { token: used, password, ...details })
    assert.deepEqual([answer.status, answer.body], [410, ended], used)
  }
  assert.equal(await firstRunLink(app.db, app.secrets, { baseUrl, now }), undefined)
  assert.deepEqual(await entries(2), [
    'Chose a password with a one-time link and signed in to the console.',
    'Added the administrator "Maya Lindqvist" (maya@acme.example) with full access.',
  ])
  const created = await app.db.selectFrom('events').select('type').where('type', '=', 'admin_users.created').execute()
  assert.equal(created.length, 1)
})

test('a link that cannot be accepted as asked stays good', async () => {
  const token = tokenOf((await firstRunLink(app.db, app.secrets, { baseUrl, now }))?.url)
  const browser = openBrowser(app)
  const details = { token, email: 'maya@acme.example', first_name: 'Maya', password }
  const refused: [body: object, field: string][] = [
    [{ ...details, password: 'eleven char' }, 'password'],
    [{ ...details, password: 'x'.repeat(201) }, 'password'],
    [{ ...details, password: 'ababababababab' }, 'password'],
    [{ ...details, password: 'MAYA@acme.example' }, 'password'],
    [{ ...details, password: 'password1234' }, 'password'],
    [{ ...details, email: 'nobody' }, 'email'],
    [{ ...details, email: undefined }, 'email'],
    [{ ...details, first_name: ' ' }, 'first_name'],
  ]
  for (const [body, field] of refused) {
    const answer = await browser.ask('POST', '/session/link/accept', body)
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.field], [422, field], JSON.stringify(body))
  }
  assert.equal((await browser.ask('POST', '/session/link/accept', details)).status, 200)
})

test('a link ends after a day, and with the next one', async () => {
  const { id } = await make.adminUser(app.tenant.organizationId)
  const first = await invite(id)
  const second = await invite(id)
  assert.match(second.url, /\/console\/invite#/)
  const browser = openBrowser(app)
  const accept = (url: string) => browser.ask('POST', '/session/link/accept', { token: tokenOf(url), password })
  assert.deepEqual((await accept(first.url)).body, ended)
  app.setNow(later(86_400))
  assert.deepEqual((await accept(second.url)).body, ended)
  app.setNow(later(86_399))
  assert.equal((await accept(second.url)).status, 200)
  await assert.rejects(invite(id), {
    errors: [{ field: 'id', message: 'signs in already: reset how they do instead' }],
  })
})

testOnPostgres('of two who use a link at once, one is let in', async () => {
  const token = tokenOf((await firstRunLink(app.db, app.secrets, { baseUrl, now }))?.url)
  const other = tokenOf((await firstRunLink(app.db, app.secrets, { baseUrl, now }))?.url)
  const answers = await Promise.all(
    [token, token, other, other].map((one, index) =>
      openBrowser(app).ask('POST', '/session/link/accept', {
        token: one,
        password,
        email: `admin${index}@acme.example`,
        first_name: 'Maya',
      }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410, 410])
})

test('signing in gives a cookie that only this origin gets, and signing out takes it away', async () => {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  const answer = await browser.signIn('MAYA@acme.example')
  assert.equal(answer.status, 200)
  const [sessionCookie = '', deviceCookie = ''] = [answer.headers['set-cookie'] ?? []].flat()
  assert.match(
    sessionCookie,
    /^__Host-muster_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  assert.match(
    deviceCookie,
    /^__Host-muster_device=[\w-]{48}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  const { cookie = '' } = browser
  const out = await browser.ask('POST', '/session/sign_out')
  assert.deepEqual(
    [out.status, out.headers['set-cookie']],
    [204, '__Host-muster_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure'],
  )
  const after = await browser.ask('GET', '/session', undefined, { cookie })
  assert.deepEqual([after.status, after.body], [401, { error: 'not_signed_in', message: 'Sign in first.' }])
  assert.deepEqual(await entries(2), ['Signed out of the console.', 'Signed in to the console with a password.'])
  assert.equal((await browser.signIn(email)).status, 200)
  const rows = await app.db.selectFrom('admin_session_lookups').selectAll().execute()
  assert.ok(rows.every(({ lookup_hash }) => lookup_hash.length === 32))
})

test('a refusal reveals nothing about accounts', async () => {
  const { email } = await addAdmin(app)
  const { id: withoutPassword } = await addAdmin(app, { email: 'tom@acme.example' })
  await app.db.deleteFrom('admin_credentials').where('admin_user_id', '=', withoutPassword).execute()
  const refused: [email: string, password: string][] = [
    [email, 'another password'],
    ['nobody@acme.example', password],
    ['tom@acme.example', password],
    ['', ''],
  ]
  for (const [who, tried] of refused) {
    const answer = await openBrowser(app).signIn(who, tried)
    assert.deepEqual([answer.status, answer.body], [401, refusal], who)
    assert.equal(answer.headers['set-cookie'], undefined)
  }
})

test('an unknown address takes as long as a wrong password', async () => {
  const { email } = await addAdmin(app)
  // Of the processor: a hash is nearly all of it, and other work on the machine does not count.
  const time = async (who: string) => {
    const before = process.cpuUsage()
    await openBrowser(app).signIn(who, 'another password')
    return process.cpuUsage(before).user
  }
  const known: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < 12; round += 1) {
    await app.db.deleteFrom('sign_in_throttles').execute()
    known.push(await time(email))
    unknown.push(await time('nobody@acme.example'))
  }
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length / 2] ?? 0
  const ratio = median(known) / median(unknown)
  // Without a hash for the unknown it is more than ten.
  assert.ok(ratio > 0.4 && ratio < 2.5, `${ratio}`)
})

test('after five failures each doubles the wait, for known and unknown addresses alike', async () => {
  const { email } = await addAdmin(app)
  for (const who of ['nobody@acme.example', email]) {
    app.setNow(now)
    await app.db.deleteFrom('sign_in_throttles').execute()
    const attempt = async (tried: string) => {
      const { status, headers } = await openBrowser(app).signIn(who, tried)
      return [status, headers['retry-after']]
    }
    for (let count = 1; count <= 5; count += 1) assert.deepEqual(await attempt('wrong'), [401, undefined])
    assert.deepEqual(await attempt(password), [429, '1'])
    app.setNow(later(1))
    assert.deepEqual(await attempt('wrong'), [401, undefined])
    assert.deepEqual(await attempt('wrong'), [429, '2'])
    app.setNow(later(3))
    assert.deepEqual(await attempt('wrong'), [401, undefined])
    assert.deepEqual(await attempt('wrong'), [429, '4'])
  }
  app.setNow(later(7))
  assert.equal((await openBrowser(app).signIn(email)).status, 200)
  assert.deepEqual(await entries(1), [
    'Signed in to the console with a password, after 7 failed tries for this address.',
  ])
  assert.equal((await openBrowser(app).signIn(email, 'wrong')).status, 401)
})

testOnPostgres('guesses that come at once are counted before they are looked at', async () => {
  const { email } = await addAdmin(app)
  const answers = await Promise.all(Array.from({ length: 20 }, () => openBrowser(app).signIn(email, 'wrong')))
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 401).length, 5)
  assert.equal(statuses.filter((status) => status === 429).length, 15)
})

test('one address that tries many accounts is slowed down, whatever is behind it', async () => {
  await addAdmin(app)
  await openBrowser(app).signIn('first@acme.example', 'wrong')
  const rows = await app.db.selectFrom('sign_in_throttles').selectAll().execute()
  assert.equal(rows.length, 3)
  await app.db.updateTable('sign_in_throttles').set({ failures: 49 }).execute()
  assert.equal((await openBrowser(app).signIn('another@acme.example', 'wrong')).status, 401)
  assert.equal((await openBrowser(app).signIn('maya@acme.example')).status, 429)
})

test('a session ends after half an hour without a request, and after twelve hours', async () => {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  const status = async () => (await browser.ask('GET', '/session')).status
  for (let minutes = 29; minutes < 720; minutes += 29) {
    app.setNow(later(minutes * 60))
    assert.equal(await status(), 200, `${minutes}`)
  }
  app.setNow(later(720 * 60))
  assert.equal(await status(), 401)
  app.setNow(now)
  await browser.signIn(email)
  app.setNow(later(30 * 60))
  assert.equal(await status(), 401)
})

test('an address that administers two organizations says which', async () => {
  const other = await app.addTenant('Globex')
  const { email } = await addAdmin(app)
  await addAdmin(app, { email, organizationId: other.organizationId })
  const browser = openBrowser(app)
  assert.deepEqual((await browser.ask('GET', '/session/options')).body, {
    needs_organization: true,
    passkeys: true,
    identity_provider: null,
    has_administrators: true,
  })
  assert.deepEqual((await browser.signIn(email)).body, refusal)
  for (const organization of ['Globex', other.organizationId]) {
    const answer = await browser.ask('POST', '/session/sign_in', { email, password, organization })
    assert.deepEqual(answer.body.organization, { id: other.organizationId, name: 'Globex' })
  }
  const nowhere = await browser.ask('POST', '/session/sign_in', { email, password, organization: 'Initech' })
  assert.deepEqual(nowhere.body, refusal)
})

test('a reset ends the sessions and the password, and lets in by its link alone', async () => {
  const { id, email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  for (let count = 0; count < 6; count += 1) await openBrowser(app).signIn(email, 'wrong')
  const { url } = await invite(id, 'reset')
  assert.equal((await browser.ask('GET', '/session')).status, 401)
  assert.deepEqual((await openBrowser(app).signIn(email)).body, refusal)
  const changed = 'quite another password'
  assert.equal(
    (await browser.ask('POST', '/session/link/accept', { token: tokenOf(url), password: changed })).status,
    200,
  )
  assert.equal((await openBrowser(app).signIn(email, changed)).status, 200)
  assert.deepEqual((await openBrowser(app).signIn(email)).body, refusal)
  assert.equal(
    (await entries(3))[2],
    'Reset how the administrator "Maya Lindqvist" (maya@acme.example) signs in, ended all sessions and made a link to choose a new password.',
  )
})

test('no password, link or session is in the database as it is', async () => {
  const { id, email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  const { url } = await invite(id, 'reset')
  const tables = [
    'admin_credentials',
    'admin_links',
    'admin_link_lookups',
    'admin_sessions',
    'admin_session_lookups',
    'audit_logs',
  ] as const
  for (const table of tables) {
    const text = JSON.stringify(await app.db.selectFrom(table).selectAll().execute())
    for (const secret of [password, tokenOf(url), browser.cookie?.split('=')[1] ?? '']) {
      assert.ok(secret.length > 10 && !text.includes(secret), table)
    }
  }
  await browser.ask('POST', '/session/link/accept', { token: tokenOf(url), password })
  const { password_hash } = await app.db.selectFrom('admin_credentials').selectAll().executeTakeFirstOrThrow()
  assert.match(password_hash ?? '', /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[\w-]{22}\$[\w-]{43}$/)
})
