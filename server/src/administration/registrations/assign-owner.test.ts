import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Permission } from '@muster/contract/permissions.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { registerDevice } from './register-device.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
})

const assign = (deviceId: string, body: object, { key = app.tenant.key, method = 'PATCH' as 'PATCH' | 'PUT' } = {}) =>
  app.ask(method, `/devices/${deviceId}/registration`, { key, body })

async function fleet() {
  const { organizationId } = app.tenant
  const ada = await make.person(organizationId, { name: 'Ada Lovelace', email: 'ada@acme.example' })
  const ben = await make.person(organizationId, { name: 'Ben', email: 'ben@acme.example' })
  return { ada, ben, device: await make.device(organizationId, { name: 'Mac 1' }) }
}

const keyWith = (...permissions: Permission[]) => app.addKey(permissions)

const eventsOf = async (type: string) => {
  const rows = await app.db.selectFrom('events').select(['type', 'device_id']).where('type', '=', type).execute()
  return rows.map((row) => row.device_id)
}

test('assignDeviceOwner registers a device to a person by identifier or e-mail address, and tells of it', async () => {
  const { ada, device } = await fleet()
  const check = await make.check(app.tenant.organizationId, {
    configuration: { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 3 },
  })
  await make.issue({ device, check })
  const { status, body } = await assign(device.id, { person_email: 'ADA@acme.example' }, { method: 'PUT' })
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        device_id: device.id,
        registered_at: start,
        registered_owner_info: { identifier: ada.id, link: `https://muster.test/people/${ada.id}` },
        device_info: { identifier: device.id, link: `https://muster.test/devices/${device.id}` },
      },
    ],
  )
  const after = (await app.ask('GET', `/devices/${device.id}`)).body
  // The grace period begins with the owner.
  assert.deepEqual([after.auth_state, after.will_block_at], ['Will Block', '2026-11-23T10:00:00.000Z'])
  assert.deepEqual(await eventsOf('devices.registered'), [device.id])
  const entry = await app.db.selectFrom('audit_logs').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow()
  assert.deepEqual(
    [entry.description, entry.action, entry.actor_type, entry.ip_address],
    [
      'Registered the device "Mac 1" to "Ada Lovelace" (ada@acme.example).',
      ...['device.registered', 'ApiKey', '127.0.0.1'],
    ],
  )
})

test('assigning a device to its owner again writes nothing and gives no time', async () => {
  const { ada, device } = await fleet()
  await assign(device.id, { person_id: ada.id })
  app.setNow('2026-11-21T10:00:00.000Z')
  const before = await rowVersions(app.db)
  const { status, body } = await assign(device.id, { person_id: Number(ada.id) })
  assert.deepEqual([status, body.registered_at], [200, start])
  assert.deepEqual(await rowVersions(app.db), before)
})

test('a device of someone else needs Remove Devices too, and one in doubt Manage User Requests', async () => {
  const { ada, ben, device } = await fleet()
  const updating = await keyWith('update_devices')
  assert.equal((await assign(device.id, { person_id: ada.id }, { key: await keyWith() })).status, 403)
  assert.equal((await assign(device.id, { person_id: ada.id }, { key: updating })).status, 200)
  const taken = await assign(device.id, { person_id: ben.id }, { key: updating })
  assert.deepEqual([taken.status, taken.body.error], [403, 'permission_missing'])
  assert.match(taken.body.message, /Remove Devices/)
  const removing = await keyWith('update_devices', 'remove_devices')
  await app.db.updateTable('devices').set({ registration_suspended_at: start }).where('id', '=', device.id).execute()
  const doubtful = await assign(device.id, { person_id: ben.id }, { key: removing })
  assert.equal(doubtful.status, 403)
  assert.match(doubtful.body.message, /Manage User Requests/)
  const deciding = await keyWith('update_devices', 'remove_devices', 'manage_user_requests')
  assert.equal((await assign(device.id, { person_id: ben.id }, { key: deciding })).status, 200)
  const after = (await app.ask('GET', `/devices/${device.id}`)).body
  assert.deepEqual([after.registered_owner_info.identifier, after.registration_suspended_at], [ben.id, null])
  const trust = await app.db.selectFrom('people').select('has_used_first_trust').where('id', '=', ada.id).execute()
  assert.deepEqual(trust, [{ has_used_first_trust: false }])
})

test('a suspension outlives its registration until it is decided', async () => {
  const { ada, ben, device } = await fleet()
  const both = ['update_devices', 'remove_devices'] as const
  const [moving, deciding] = [await keyWith(...both), await keyWith(...both, 'manage_user_requests')]
  const standing = async () => {
    const { body } = await app.ask('GET', `/devices/${device.id}`)
    return [body.registered_owner_info.identifier, body.registration_suspended_at]
  }
  const end = (key: string) => app.ask('DELETE', `/devices/${device.id}/registration`, { key })
  await assign(device.id, { person_id: ada.id })
  await app.db.updateTable('devices').set({ registration_suspended_at: start }).where('id', '=', device.id).execute()
  assert.equal((await end(moving)).status, 200)
  assert.deepEqual(await standing(), ['', null])
  const again = await assign(device.id, { person_id: ada.id }, { key: moving })
  assert.equal(again.status, 403)
  assert.match(again.body.message, /Manage User Requests/)
  // Neither by way of another person.
  assert.equal((await assign(device.id, { person_id: ben.id }, { key: moving })).status, 200)
  assert.equal((await assign(device.id, { person_id: ada.id }, { key: moving })).status, 403)
  // Nor by what registers without anyone's decision, such as the rule by account.
  await transact(app.db, async (tx) => {
    const change = systemChange(app.tenant.organizationId, app.now())
    await registerDevice(tx, { deviceId: device.id, personId: ada.id }, change)
  })
  assert.deepEqual(await standing(), [ada.id, start])
  assert.deepEqual(await eventsOf('devices.registration_suspended'), [device.id])
  assert.equal((await end(moving)).status, 200)
  assert.equal((await assign(device.id, { person_id: ada.id }, { key: deciding })).status, 200)
  assert.deepEqual(await standing(), [ada.id, null])
  // It was decided: it does not come back.
  assert.equal((await end(moving)).status, 200)
  assert.equal((await assign(device.id, { person_id: ada.id }, { key: moving })).status, 200)
  assert.deepEqual(await standing(), [ada.id, null])
})

test('a registration names one living person of the organization', async () => {
  const { ada, device } = await fleet()
  const other = await app.addTenant('Other')
  const foreign = await make.person(other.organizationId, { email: 'foreign@acme.example' })
  const left = await make.person(app.tenant.organizationId, {
    email: 'left@acme.example',
    deprovisioned_at: start,
  })
  const cases = [
    [{}, ''],
    [{ person_id: ada.id, person_email: ada.email }, 'person_email'],
    [{ person_id: foreign.id }, 'person_id'],
    [{ person_id: left.id }, 'person_id'],
    [{ person_id: 'x' }, 'person_id'],
    [{ person_email: 'foreign@acme.example' }, 'person_email'],
    [{ person_email: left.email }, 'person_email'],
  ] as const
  for (const [body, field] of cases) {
    const answer = await assign(device.id, body)
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.field], [422, field], JSON.stringify(body))
  }
  const foreignDevice = await make.device(other.organizationId)
  assert.equal((await assign(foreignDevice.id, { person_id: ada.id })).status, 404)
})
