import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

/** A device of someone whose registration is suspended, one that two agents enroll as, and one without doubt. */
async function doubtfulDevices() {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const registered = { registered_owner_id: owner.id, registered_at: app.now() }
  const suspended = await make.device(organizationId, { ...registered, name: 'suspended' })
  const conflict = await make.device(organizationId, { name: 'conflict' })
  await make.device(organizationId, { name: 'sound' })
  const set = (id: string, values: object) => app.db.updateTable('devices').set(values).where('id', '=', id).execute()
  await set(suspended.id, { registration_suspended_at: app.now() })
  await set(conflict.id, { identity_conflict_since: app.now() })
  return { suspended, conflict }
}

async function signedIn() {
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

test('devices in doubt are found, by the console and by the API, and say why', async () => {
  const { suspended, conflict } = await doubtfulDevices()
  const browser = await signedIn()
  const listed = async (query: string) =>
    (await browser.ask('GET', `/views/devices?${query}`)).body.data.map(
      (row: { name: string; identity_doubts: string[] }) => [row.name, ...row.identity_doubts],
    )
  assert.deepEqual(await listed('sort=name'), [['conflict', 'conflict'], ['sound'], ['suspended', 'suspended']])
  assert.deepEqual(await listed('identity=suspended'), [['suspended', 'suspended']])
  assert.deepEqual(await listed('identity=conflict'), [['conflict', 'conflict']])
  assert.equal((await browser.ask('GET', '/views/devices?identity=lost')).status, 422)

  const found = async (query: string) =>
    (await app.ask('GET', `/devices?query=${encodeURIComponent(query)}`)).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await found('registration_suspended_at>"2020-01-01"'), [suspended.id])
  assert.deepEqual(await found('identity_conflict_since>"2020-01-01"'), [conflict.id])
  const record = (await app.ask('GET', `/devices/${suspended.id}`)).body
  assert.deepEqual([record.registration_suspended_at, record.identity_conflict_since], [app.now(), null])
})

test('an administrator confirms a registration and resolves a conflict, once', async () => {
  const { suspended, conflict } = await doubtfulDevices()
  const browser = await signedIn()
  const confirmed = await browser.ask('POST', `/devices/${suspended.id}/confirm_registration`)
  assert.deepEqual([confirmed.status, confirmed.body.registration_suspended_at], [200, null])
  const resolved = await browser.ask('POST', `/devices/${conflict.id}/resolve_identity_conflict`)
  assert.deepEqual([resolved.status, resolved.body.identity_conflict_since], [200, null])
  assert.equal((await browser.ask('POST', `/devices/${conflict.id}/resolve_identity_conflict`)).status, 200)
  assert.equal((await browser.ask('POST', `/devices/${conflict.id}/confirm_registration`)).status, 422)
  assert.equal((await browser.ask('POST', '/devices/999999/confirm_registration')).status, 404)
  const entries = await app.db.selectFrom('audit_logs').select('description').orderBy('id').execute()
  const texts = entries.map(({ description }) => description)
  assert.equal(texts.filter((text) => text === 'Confirmed the registration of the device "suspended".').length, 1)
  assert.equal(texts.filter((text) => text === 'Resolved the identity conflict of the device "conflict".').length, 1)
})
