import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'
import { scimClient } from '../../../test/support/scim-client.ts'
import { transact } from '../../base/db/transact.ts'
import { createLink } from './create-link.ts'
import { findKnownDevice, rememberDevice } from './known-device.ts'
import { isOurChallenge, makeChallenge } from './passkey-challenge.ts'

// A clock that was wrong for a while, by hours or days, and was put right.

const app = testApp({ env: { MUSTER_RATE_LIMIT_PER_MINUTE: '3' } })
const scim = scimClient(app)
const now = '2026-11-20T11:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString()
const [hour, day] = [3_600, 86_400]

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

test('a session that began while the clock was ahead ends when it is put right, and a proof of then is none', async () => {
  const { email } = await addAdmin(app)
  for (const ahead of [2 * hour, 5 * day]) {
    const browser = openBrowser(app)
    app.setNow(later(ahead))
    assert.equal((await browser.signIn(email)).status, 200)
    app.setNow(now)
    assert.equal((await browser.ask('GET', '/session')).status, 401)
  }
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(email)).status, 200)
  app.setNow(later(hour))
  // Ahead by an hour while someone works: they prove who they are, and the clock goes back.
  await app.db
    .updateTable('admin_sessions')
    .set({ last_seen_at: later(hour) })
    .execute()
  assert.equal((await browser.ask('POST', '/session/step_up', { password })).status, 200)
  app.setNow(later(60))
  assert.equal((await browser.ask('GET', '/session')).status, 200)
  assert.equal((await browser.ask('POST', '/session/passkeys/options')).body.error, 'step_up_needed')
  assert.equal((await browser.ask('POST', '/session/step_up', { password })).status, 200)
  assert.equal((await browser.ask('POST', '/session/passkeys/options')).status, 200)
})

test('a clock that jumps ahead by a day ends sessions, and signing in continues', async () => {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  app.setNow(later(day))
  assert.equal((await browser.ask('GET', '/session')).status, 401)
  assert.equal((await browser.signIn(email)).status, 200)
})

test('tokens, links, challenges and known browsers from while the clock was ahead are nothing when it is put right', async () => {
  const { secrets } = app
  const { id: adminUserId, email } = await addAdmin(app)
  const place = { organizationId: app.tenant.organizationId, purpose: 'invite', adminUserId, baseUrl } as const
  const client = { client_id: app.tenant.keyId, client_secret: app.tenant.key, grant_type: 'client_credentials' }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const make = async (at: string) => {
    app.setNow(at)
    const payload = new URLSearchParams(client).toString()
    const { access_token: key } = (
      await app.app.inject({ method: 'POST', url: '/oauth/token', headers, payload })
    ).json()
    const { url } = await transact(app.db, (tx) => createLink(tx, secrets, { ...place, now: at }))
    const challenge = makeChallenge(secrets, 'add', 'maya', at).toString('base64url')
    const cookie = rememberDevice(secrets, { cookie: undefined, email, now: at })
    app.setNow(now)
    return [
      (await app.ask('GET', '/ssf_streams', { key })).status,
      (await openBrowser(app).ask('POST', '/session/link', { token: url.split('#')[1] })).status,
      isOurChallenge(secrets, challenge, 'add', 'maya', now),
      findKnownDevice(secrets, { cookie, email, now }) !== undefined,
    ]
  }
  assert.deepEqual(await make(later(50)), [200, 200, true, true])
  await app.db.deleteFrom('rate_limit_windows').execute()
  assert.deepEqual(await make(later(3 * day)), [401, 410, false, false])
})

test('a limit of requests that was reached while the clock was ahead holds nobody back after it', async () => {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  await scim.begin()
  const ask = {
    key: async () => (await app.ask('GET', '/whoami')).status,
    session: async () => (await browser.ask('GET', '/session')).status,
    scim: async () => (await scim.ask('GET', '/ServiceProviderConfig')).status,
  }
  for (const request of Object.values(ask)) assert.equal(await request(), 200)
  const moveWindows = (to: string) =>
    app.database.connection.executeScript(
      ['rate_limit_windows', 'admin_session_windows', 'scim_rate_windows']
        .map((table) => `update ${table} set used = 5000, started_at = ${to};`)
        .join('\n'),
    )
  await moveWindows(`now()`)
  for (const [name, request] of Object.entries(ask)) assert.equal(await request(), 429, name)
  await moveWindows(`now() + interval '5 hours'`)
  for (const [name, request] of Object.entries(ask)) assert.equal(await request(), 200, name)
})
