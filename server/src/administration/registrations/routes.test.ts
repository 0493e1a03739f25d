import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const later = '2026-11-20T11:00:00.000Z'
const missing = { error: 'not_found', message: 'There is no such record.' }

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
})

const endRegistration = (deviceId: string, key = app.tenant.key) =>
  app.ask('DELETE', `/devices/${deviceId}/registration`, { key })

const remove = (deviceId: string, key = app.tenant.key) => app.ask('DELETE', `/devices/${deviceId}`, { key })

const idsOf = async (url: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', url)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id?: string; device_id?: string }) => row.id ?? row.device_id)
}

const deviceOf = async (id: string) => (await app.ask('GET', `/devices/${id}`)).body

const lastAudit = () =>
  app.db
    .selectFrom('audit_logs')
    .select(['description', 'actor_type', 'actor_id', 'actor_name', 'ip_address', 'timestamp'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()

/** The entry of a call with the full key of the tenant. */
const entry = (description: string, timestamp: string) => ({
  description,
  ...{ actor_type: 'ApiKey', actor_id: app.tenant.keyId, actor_name: 'Full access' },
  ip_address: '127.0.0.1',
  timestamp,
})

const hasUsedFirstTrust = async (id: string) => {
  const person = app.db.selectFrom('people').select('has_used_first_trust').where('id', '=', id)
  return (await person.executeTakeFirstOrThrow()).has_used_first_trust
}

/** A person with a Mac in a group, which fails one check and passes another beside a device of nobody. */
async function fleet() {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId, { name: 'Ada Lovelace', has_used_first_trust: true })
  const group = await make.deviceGroup(organizationId)
  const device = await make.device(organizationId, {
    name: 'Mac 1',
    registered_owner_id: owner.id,
    registered_at: '2026-11-18T07:06:05.004Z',
    groupIds: [group.id],
  })
  const other = await make.device(organizationId, { groupIds: [group.id] })
  const failed = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  const passed = await make.check(organizationId)
  const issue = await make.issue({ device, check: failed })
  await make.result({ device, check: passed, rows: 'PASS' })
  await make.result({ device: other, check: passed, rows: 'FAIL' })
  return { owner, group, device, other, failed, passed, issue }
}

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`deleteDeviceRegistration answers the registration that it ended in version ${version}`, async () => {
    const { owner, device } = await fleet()
    const { status, body } = await app.ask('DELETE', `/devices/${device.id}/registration`, { headers })
    const registration = {
      device_id: device.id,
      registered_at: '2026-11-18T07:06:05.004Z',
      registered_owner_info: { identifier: owner.id, link: `https://muster.test/people/${owner.id}` },
      device_info: { identifier: device.id, link: `https://muster.test/devices/${device.id}` },
    }
    assert.deepEqual([status, body], [200, registration])
  })

  test(`deleteDevice answers the device as it was in version ${version}`, async () => {
    const { device } = await fleet()
    const before = (await app.ask('GET', `/devices/${device.id}`, { headers })).body
    assert.deepEqual([before.id, before.auth_state], [device.id, 'Blocked'])
    const { status, body } = await app.ask('DELETE', `/devices/${device.id}`, { headers })
    assert.deepEqual([status, body], [200, before])
    const { status: statusAfter, body: bodyAfter } = await app.ask('GET', `/devices/${device.id}`, { headers })
    assert.deepEqual([statusAfter, bodyAfter], [404, missing])
  })
}

test('a device without its registration is anyone’s, blocks nobody and keeps its groups, results and issues', async () => {
  const { owner, group, device, passed, issue } = await fleet()
  const body = { authentication_mode: 'anyone' }
  await app.ask('PATCH', `/devices/${device.id}/authentication_mode`, { body })
  const before = await deviceOf(device.id)
  app.setNow(later)
  await endRegistration(device.id)
  const free = {
    registered_at: null,
    registered_owner_info: { identifier: '', link: null },
    auth_configuration: null,
    auth_state: 'Good',
  }
  assert.deepEqual(await deviceOf(device.id), { ...before, ...free })
  assert.deepEqual(await idsOf(`/people/${owner.id}/registered_devices`), [])
  assert.deepEqual(await idsOf(`/people/${owner.id}/open_issues`), [])
  assert.deepEqual(await idsOf(`/devices/${device.id}/open_issues`), [issue.id])
  assert.equal((await app.ask('GET', `/issues/${issue.id}`)).body.blocks_device_at, null)
  assert.equal((await app.ask('GET', `/people/${owner.id}`)).body.has_registered_device, false)
  assert.equal((await app.ask('GET', `/device_groups/${group.id}`)).body.members_count, 2)
  assert.equal((await app.ask('GET', `/checks/${passed.id}`)).body.percent_passing, 50)
  assert.equal(await hasUsedFirstTrust(owner.id), false)
  const sentence = 'Ended the registration of the device "Mac 1" to "Ada Lovelace".'
  assert.deepEqual(await lastAudit(), entry(sentence, later))
})

test('a deleted device is gone from every list and count, and its agent is told', async () => {
  const { owner, group, device, other, failed, passed, issue } = await fleet()
  const counts = async () => ({
    members: (await app.ask('GET', `/device_groups/${group.id}`)).body.members_count,
    passing: (await app.ask('GET', `/checks/${passed.id}`)).body.percent_passing,
    isHolder: (await app.ask('GET', `/people/${owner.id}`)).body.has_registered_device,
  })
  assert.deepEqual(await counts(), { members: 2, passing: 50, isHolder: true })
  await app.db.deleteFrom('agent_notices').execute()
  app.setNow(later)
  assert.equal((await remove(device.id)).status, 200)
  assert.deepEqual(await counts(), { members: 1, passing: 0, isHolder: false })
  const lists: [path: string, ids: string[]][] = [
    ['/devices', [other.id]],
    [`/devices?query=id:${device.id}`, []],
    [`/device_groups/${group.id}/devices`, [other.id]],
    [`/people/${owner.id}/registered_devices`, []],
    [`/people/${owner.id}/open_issues`, []],
    [`/issues?query=device_id:${device.id}`, []],
    [`/checks/${failed.id}/results`, [other.id]],
    [`/checks/${passed.id}/results`, [other.id]],
  ]
  for (const [path, ids] of lists) assert.deepEqual(await idsOf(path), ids, path)
  const paths = [`/issues/${issue.id}`, `/devices/${device.id}/open_issues`, `/devices/${device.id}/check_results`]
  for (const path of paths) assert.equal((await app.ask('GET', path)).status, 404, path)
  const notices = await app.db.selectFrom('agent_notices').select('device_id').execute()
  assert.deepEqual(notices, [{ device_id: device.id }])
  assert.equal(await hasUsedFirstTrust(owner.id), false)
  assert.deepEqual(await lastAudit(), entry('Deleted the device "Mac 1".', later))
})

test('neither ending says that a blocked device has become compliant', async () => {
  const signalled = async () => {
    const events = await app.db.selectFrom('events').select(['device_id', 'data']).orderBy('id').execute()
    return events.flatMap(({ device_id, data }) => ('compliance' in data ? [[device_id, data['compliance']]] : []))
  }
  for (const end of [endRegistration, remove]) {
    await app.db.deleteFrom('events').execute()
    const { device } = await fleet()
    const blocked = [device.id, { previous: 'compliant', current: 'not-compliant' }]
    assert.deepEqual(await signalled(), [blocked])
    await end(device.id)
    assert.deepEqual(await signalled(), [blocked])
  }
})

test('a person who keeps another device has used the trust on first use', async () => {
  const { organizationId } = app.tenant
  for (const end of [endRegistration, remove]) {
    const owner = await make.person(organizationId, { has_used_first_trust: true })
    const [first, second] = [
      await make.device(organizationId, { registered_owner_id: owner.id }),
      await make.device(organizationId, { registered_owner_id: owner.id }),
    ]
    await end(first.id)
    assert.equal(await hasUsedFirstTrust(owner.id), true)
    await end(second.id)
    assert.equal(await hasUsedFirstTrust(owner.id), false)
  }
})

for (const [device_type, form_factor] of [
  ['iOS', 'tablet'],
  ['Android', 'phone'],
] as const) {
  test(`a device of type ${device_type} is deleted with its registration`, async () => {
    const { organizationId } = app.tenant
    const owner = await make.person(organizationId, { name: 'Ada' })
    const group = await make.deviceGroup(organizationId)
    const columns = { name: 'Pocket', device_type, form_factor, registered_owner_id: owner.id, groupIds: [group.id] }
    const device = await make.device(organizationId, columns)
    const { status, body } = await endRegistration(device.id)
    assert.deepEqual([status, body.device_id, body.registered_at], [200, device.id, start])
    assert.equal((await app.ask('GET', `/devices/${device.id}`)).status, 404)
    assert.deepEqual(await idsOf('/devices'), [])
    assert.equal((await app.ask('GET', `/device_groups/${group.id}`)).body.members_count, 0)
    const sentence = 'Ended the registration of the device "Pocket" to "Ada" and deleted the device.'
    assert.deepEqual(await lastAudit(), entry(sentence, start))
  })
}

test('what is over already cannot be ended again', async () => {
  const { device, other } = await fleet()
  await endRegistration(device.id)
  const message = 'The device is not registered to anyone.'
  const versions = await rowVersions(app.db)
  for (const { id } of [device, other]) {
    const { status, body } = await endRegistration(id)
    const expected = { error: 'device_not_registered', message, errors: [{ field: 'deviceId', message }] }
    assert.deepEqual([status, body], [422, expected])
  }
  assert.deepEqual(await rowVersions(app.db), versions)
  await remove(device.id)
  const after = await rowVersions(app.db)
  for (const answer of [await remove(device.id), await endRegistration(device.id)]) {
    assert.deepEqual([answer.status, answer.body], [404, missing])
  }
  assert.deepEqual(await rowVersions(app.db), after)
})

test('a device of another organization is as unknown as any', async () => {
  const other = await app.addTenant()
  const owner = await make.person(other.organizationId)
  const device = await make.device(other.organizationId, { registered_owner_id: owner.id })
  const versions = await rowVersions(app.db)
  for (const id of [device.id, '987654321', '0', '01', 'x', '99999999999999999999']) {
    for (const { status, body } of [await remove(id), await endRegistration(id)]) {
      assert.deepEqual([status, body], [404, missing], id)
    }
  }
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('both take the permission Remove Devices and the feature Write API', async () => {
  const { organizationId } = app.tenant
  const { device } = await fleet()
  const message = 'This key lacks the permission Remove Devices.'
  for (const key of [app.tenant.readOnlyKey, await app.addKey(['update_devices', 'manage_device_groups'])]) {
    for (const { status, body } of [await remove(device.id, key), await endRegistration(device.id, key)]) {
      assert.deepEqual([status, body], [403, { error: 'permission_missing', message }])
    }
  }
  const enough = await app.addKey(['remove_devices'])
  const setWriting = (isOn: boolean) =>
    transact(app.db, (tx) => setFeature(tx, { feature: 'write_api', isOn }, systemChange(organizationId, start)))
  await setWriting(false)
  const unavailable = 'The feature Write API is not available to the organization.'
  for (const { status, body } of [await remove(device.id, enough), await endRegistration(device.id, enough)]) {
    assert.deepEqual([status, body], [401, { error: 'feature_unavailable', message: unavailable }])
  }
  assert.equal((await deviceOf(device.id)).auth_state, 'Blocked')
  await setWriting(true)
  assert.equal((await endRegistration(device.id, enough)).status, 200)
  assert.equal((await remove(device.id, enough)).status, 200)
})
