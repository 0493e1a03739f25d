import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { createScimToken } from '../../access/scim/create-token.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

test('first steps are what the organization and the administrator have set up, each on its own', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Globex')
  await make.device(other.organizationId, {})
  await transact(app.db, (tx) =>
    createScimToken(tx, app.secrets, { name: 'Entra' }, systemChange(other.organizationId, app.now())),
  )
  const { id, email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  const read = async () => (await browser.ask('GET', '/views/first_steps')).body
  const checks = { reporting_checks: 0, enforced_checks: 0 }
  const nothing = {
    has_devices: false,
    has_second_factor: false,
    has_provisioning: false,
    connecting: 'nothing',
    ...checks,
  }
  assert.deepEqual(await read(), nothing)

  await make.device(organizationId, {})
  const check = await make.check(organizationId, {})
  await make.check(organizationId, {})
  await app.db.updateTable('check_configurations').set({ remediation_strategy: 'report_only' }).execute()
  await app.db
    .updateTable('check_configurations')
    .set({ remediation_strategy: 'warn_then_block' })
    .where('check_id', '=', check.id)
    .execute()
  const { body: token } = await browser.ask('POST', '/session/scim_tokens', { name: 'Okta' })
  await app.db
    .updateTable('admin_credentials')
    .set({ totp_enabled_at: app.now() })
    .where('admin_user_id', '=', id)
    .execute()
  await make.stream(organizationId, { status: 'paused' })
  assert.deepEqual(await read(), {
    ...{ has_devices: true, has_second_factor: true, has_provisioning: false, connecting: 'nothing' },
    ...{ reporting_checks: 1, enforced_checks: 1 },
  })
  // A token alone connects nothing.
  assert.equal((await app.ask('GET', '/scim/v2/Users', { key: token.token })).status, 200)
  await make.stream(organizationId, {})
  const after = await read()
  assert.deepEqual([after.has_provisioning, after.connecting], [true, 'unused'])
})

test('a block reaches connections that enforce, and enabled streams and webhooks that hear of it', async () => {
  const { organizationId } = app.tenant
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  const read = async () => (await browser.ask('GET', '/views/block_receivers')).body
  assert.deepEqual(await read(), { connections: 0, streams: 0, webhooks: 0, failing: 0 })
  await make.stream(organizationId, {})
  await make.webhookEndpoint(organizationId, { events: ['device_trust.status_changed'] })
  await make.webhookEndpoint(organizationId, { events: ['issues.new'] })
  const later = plusMs(app.now(), 60_000)
  for (const [mode, pausedUntil] of [['enforce'], ['enforce', later], ['observe'], ['disabled']] as const) {
    await addConnection(mode, pausedUntil)
  }
  const counts = { connections: 1, streams: 1, webhooks: 1 }
  assert.deepEqual(await read(), { ...counts, failing: 0 })
  await app.db.updateTable('webhook_standings').set({ failing_since: app.now() }).execute()
  assert.deepEqual(await read(), { ...counts, failing: 1 }, 'an endpoint that does not hear of blocks is not counted')
})

async function addConnection(mode: 'enforce' | 'observe' | 'disabled', pausedUntil: string | null = null) {
  const { organizationId } = app.tenant
  return app.db
    .insertInto('signin_connections')
    .values({
      ...{ organization_id: organizationId, name: mode, client_id: randomUUID(), redirect_uris: [], mode },
      ...{ kind: 'second_step', request_keys: '[]', request_algorithm: 'ES256', created_at: app.now() },
      paused_until: pausedUntil,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

test('sign-in is connected once something that enforces or receives has worked within a week, else it is said what lacks', async () => {
  const { organizationId } = app.tenant
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  const read = async () => (await browser.ask('GET', '/views/first_steps')).body.connecting
  const person = await make.person(organizationId)
  const signIn = (connectionId: string, daysAgo: number, result: 'Success' | 'Fail' = 'Success') =>
    make.authLog(organizationId, {
      ...{ person_id: person.id, connection_id: connectionId, result },
      started_at: plusMs(app.now(), -daysAgo * dayMs),
    })

  const observing = await addConnection('observe')
  await addConnection('disabled')
  await signIn(observing.id, 1)
  assert.equal(await read(), 'not_enforcing', 'a connection that observes blocks nobody')
  const enforcing = await addConnection('enforce')
  await signIn(enforcing.id, 8)
  await signIn(enforcing.id, 1, 'Fail')
  assert.equal(await read(), 'unused')
  await signIn(enforcing.id, 6)
  assert.equal(await read(), 'works')
  await app.db
    .updateTable('signin_connections')
    .set({ paused_until: plusMs(app.now(), 60_000) })
    .execute()
  assert.equal(await read(), 'not_enforcing')

  const endpoint = await make.webhookEndpoint(organizationId, { events: ['device_trust.status_changed'] })
  const stand = (change: { failing_since?: string | null; last_delivered_at?: string | null }) =>
    app.db.updateTable('webhook_standings').set(change).where('endpoint_id', '=', endpoint.id).execute()
  assert.equal(await read(), 'unused')
  await stand({ failing_since: app.now(), last_delivered_at: plusMs(app.now(), -dayMs) })
  assert.equal(await read(), 'failing_webhook')
  await stand({ failing_since: null })
  assert.equal(await read(), 'works')
  await stand({ last_delivered_at: plusMs(app.now(), -8 * dayMs) })
  assert.equal(await read(), 'unused')

  const stream = await make.stream(organizationId, {})
  const change = { failing_since: app.now() }
  await app.db.updateTable('ssf_stream_deliveries').set(change).where('stream_id', '=', stream.id).execute()
  assert.equal(await read(), 'failing_stream')
  const delivered = { failing_since: null, last_delivered_at: app.now() }
  await app.db.updateTable('ssf_stream_deliveries').set(delivered).where('stream_id', '=', stream.id).execute()
  assert.equal(await read(), 'works')
})
