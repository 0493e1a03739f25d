import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { createScimToken } from '../../access/scim/create-token.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'

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
    is_connected: false,
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
    ...{ has_devices: true, has_second_factor: true, has_provisioning: false, is_connected: false },
    ...{ reporting_checks: 1, enforced_checks: 1 },
  })
  // A token alone connects nothing.
  assert.equal((await app.ask('GET', '/scim/v2/Users', { key: token.token })).status, 200)
  await make.stream(organizationId, {})
  const after = await read()
  assert.deepEqual([after.has_provisioning, after.is_connected], [true, true])
})

test('a block reaches connections that enforce, and enabled streams and webhooks that hear of it', async () => {
  const { organizationId } = app.tenant
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(email)
  const read = async () => (await browser.ask('GET', '/views/block_receivers')).body
  assert.deepEqual(await read(), { connections: 0, streams: 0, webhooks: 0 })
  await make.stream(organizationId, {})
  await make.webhookEndpoint(organizationId, { events: ['device_trust.status_changed'] })
  await make.webhookEndpoint(organizationId, { events: ['issues.new'] })
  const connection = (mode: 'enforce' | 'observe' | 'disabled', paused_until: string | null = null) => ({
    ...{ organization_id: organizationId, name: mode, client_id: randomUUID(), redirect_uris: [], mode, paused_until },
    ...{ kind: 'second_step' as const, request_keys: '[]', request_algorithm: 'ES256' as const, created_at: app.now() },
  })
  const later = new Date(Date.parse(app.now()) + 60_000).toISOString()
  await app.db
    .insertInto('signin_connections')
    .values([connection('enforce'), connection('enforce', later), connection('observe'), connection('disabled')])
    .execute()
  assert.deepEqual(await read(), { connections: 1, streams: 1, webhooks: 1 })
})
