import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { invalidBody } from '../../../test/support/invalid-body.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)
const missing = { error: 'not_found', message: 'There is no such record.' }
const refusal = invalidBody

/** What an addition or a removal of these devices answers. */
const answerFor = (groupId: string, ...deviceIds: string[]) => ({
  device_id: deviceIds[0],
  group_id: groupId,
  data: deviceIds.map((deviceId) => ({ device_id: deviceId, group_id: groupId })),
})

beforeEach(() => app.reset())

const add = (groupId: string, deviceIds: unknown, key = app.tenant.key) =>
  app.ask('POST', `/device_groups/${groupId}/memberships`, { key, body: { device_ids: deviceIds } })

const remove = (groupId: string, deviceId: string, key = app.tenant.key) =>
  app.ask('DELETE', `/device_groups/${groupId}/memberships/${deviceId}`, { key })

async function membersOf(groupId: string): Promise<{ ids: string[]; count: number }> {
  const devices = await app.ask('GET', `/device_groups/${groupId}/devices`)
  const group = await app.ask('GET', `/device_groups/${groupId}`)
  return { ids: devices.body.data.map((row: { id: string }) => row.id), count: group.body.members_count }
}

const audits = async (): Promise<string[]> => {
  const { body } = await app.ask('GET', '/audit_logs?query=description~"the device group"')
  return body.data.map((entry: { description: string }) => entry.description)
}

const resultsOf = (deviceId: string) =>
  app.db
    .selectFrom('check_results')
    .select(['check_id', 'status'])
    .where('device_id', '=', deviceId)
    .orderBy('check_id')
    .execute()

const deviceState = (id: string) =>
  app.db.selectFrom('devices').select(['auth_state', 'will_block_at']).where('id', '=', id).executeTakeFirstOrThrow()

for (const version of apiVersions) {
  test(`addDeviceGroupMembers and removeDeviceGroupMember change who is in a group in version ${version}`, async () => {
    const { organizationId } = app.tenant
    const group = await make.deviceGroup(organizationId, { name: 'Early' })
    const one = await make.device(organizationId, { name: 'One' })
    const two = await make.device(organizationId, { name: 'Two' })
    const headers = { 'x-service-api-version': version }
    const url = `/device_groups/${group.id}/memberships`
    const added = await app.ask('POST', url, { headers, body: { device_ids: [two.id, Number(one.id)] } })
    assert.deepEqual([added.status, added.body], [200, answerFor(group.id, two.id, one.id)])
    assert.deepEqual(await membersOf(group.id), { ids: [one.id, two.id], count: 2 })
    const removed = await app.ask('DELETE', `${url}/${one.id}`, { headers })
    assert.deepEqual([removed.status, removed.body], [200, answerFor(group.id, one.id)])
    assert.deepEqual(await membersOf(group.id), { ids: [two.id], count: 1 })
    assert.deepEqual(await audits(), [
      'Took the device "One" out of the device group "Early".',
      'Added the devices "One" and "Two" to the device group "Early".',
    ])
  })
}

test('members and repeats are fine, and only news is counted and audited', async () => {
  const { organizationId } = app.tenant
  const group = await make.deviceGroup(organizationId, { name: 'Early' })
  const member = await make.device(organizationId, { groupIds: [group.id] })
  const added = await make.device(organizationId, { name: 'Two' })
  const first = await add(group.id, [member.id, added.id, `00${added.id}`, added.id])
  assert.deepEqual([first.status, first.body], [200, answerFor(group.id, member.id, added.id)])
  const again = await add(group.id, [added.id])
  assert.deepEqual([again.status, again.body], [200, answerFor(group.id, added.id)])
  assert.deepEqual(await membersOf(group.id), { ids: [member.id, added.id], count: 2 })
  assert.deepEqual(await audits(), ['Added the device "Two" to the device group "Early".'])
})

test('either all devices are added or none, and foreign and deleted devices are as unknown as any', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const group = await make.deviceGroup(organizationId)
  const good = await make.device(organizationId)
  const foreign = await make.device(other.organizationId)
  const deleted = await make.device(organizationId, { deleted_at: app.now() })
  const { status, body } = await add(group.id, [good.id, foreign.id, '987654321', deleted.id])
  const errors = [
    { field: 'device_ids/1', message: 'there is no such device' },
    { field: 'device_ids/2', message: 'there is no such device' },
    { field: 'device_ids/3', message: 'there is no such device' },
  ]
  assert.deepEqual([status, body], [422, refusal(...errors)])
  assert.deepEqual(await membersOf(group.id), { ids: [], count: 0 })
  assert.deepEqual(await audits(), [])
})

test('one device can be named alone, and not beside a list', async () => {
  const { organizationId, key } = app.tenant
  const group = await make.deviceGroup(organizationId)
  const device = await make.device(organizationId)
  const url = `/device_groups/${group.id}/memberships`
  for (const body of [{}, { device_id: device.id, device_ids: [device.id] }, { device_id: 'x' }, { device_id: null }]) {
    const { status, body: refused } = await app.ask('POST', url, { key, body })
    assert.deepEqual([status, refused.error], [422, 'invalid'], JSON.stringify(body))
  }
  assert.deepEqual(await membersOf(group.id), { ids: [], count: 0 })
  const { status, body } = await app.ask('POST', url, { key, body: { device_id: Number(device.id) } })
  const membership = { device_id: device.id, group_id: group.id }
  assert.deepEqual([status, body], [200, { ...membership, data: [membership] }])
  assert.deepEqual(await membersOf(group.id), { ids: [device.id], count: 1 })
})

test('what is no list of 1 to 1,000 identifiers is refused', async () => {
  const { organizationId } = app.tenant
  const group = await make.deviceGroup(organizationId)
  const device = await make.device(organizationId)
  const tooMany = await add(group.id, Array(1_001).fill(device.id))
  const message = 'must not have more than 1000 items'
  assert.deepEqual([tooMany.status, tooMany.body], [422, refusal({ field: 'device_ids', message })])
  for (const deviceIds of [[], device.id, ['a'], [-1], [1.5], [null], undefined]) {
    const { status, body } = await add(group.id, deviceIds)
    assert.deepEqual([status, body.error], [422, 'invalid'], JSON.stringify(deviceIds))
  }
  const most = await add(group.id, Array(1_000).fill(device.id))
  assert.equal(most.status, 200)
})

test('a group of another organization and a device that is no member are not there', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const [group, foreignGroup] = [await make.deviceGroup(organizationId), await make.deviceGroup(other.organizationId)]
  const [device, foreign] = [await make.device(organizationId), await make.device(other.organizationId)]
  const answers = [
    await add(foreignGroup.id, [device.id]),
    await add('987654321', [device.id]),
    await remove(foreignGroup.id, device.id),
    await remove('987654321', device.id),
    await remove(group.id, device.id),
    await remove(group.id, foreign.id),
    await remove(group.id, '987654321'),
    await remove(group.id, 'x'),
  ]
  for (const { status, body } of answers) assert.deepEqual([status, body], [404, missing])
  assert.deepEqual(await audits(), [])
})

test('membership takes the permission Manage Device Groups', async () => {
  const group = await make.deviceGroup(app.tenant.organizationId)
  const member = await make.device(app.tenant.organizationId, { groupIds: [group.id] })
  const message = 'This key lacks the permission Manage Device Groups.'
  const others = await app.addKey(['update_devices', 'configure_checks'])
  for (const key of [app.tenant.readOnlyKey, others]) {
    for (const { status, body } of [await add(group.id, [member.id], key), await remove(group.id, member.id, key)]) {
      assert.deepEqual([status, body], [403, { error: 'permission_missing', message }])
    }
  }
  const enough = await app.addKey(['manage_device_groups'])
  assert.equal((await remove(group.id, member.id, enough)).status, 200)
  assert.equal((await add(group.id, [member.id], enough)).status, 200)
})

test('who comes into a group is targeted by its checks, and left alone by those that exclude it', async () => {
  const { organizationId } = app.tenant
  const group = await make.deviceGroup(organizationId)
  const device = await make.device(organizationId)
  const everywhere = await make.check(organizationId)
  const within = await make.check(organizationId, { configuration: { targeted_groups: [group.id] } })
  const without = await make.check(organizationId, { configuration: { excluded_groups: [group.id] } })
  const mobile = await make.check(organizationId, {
    platforms: ['windows'],
    configuration: { targeted_groups: [group.id] },
  })
  assert.deepEqual(
    (await resultsOf(device.id)).map((row) => row.check_id),
    [everywhere.id, without.id],
  )
  await add(group.id, [device.id])
  assert.deepEqual(await resultsOf(device.id), [
    { check_id: everywhere.id, status: 'pending' },
    { check_id: within.id, status: 'pending' },
  ])
  await remove(group.id, device.id)
  assert.deepEqual(await resultsOf(device.id), [
    { check_id: everywhere.id, status: 'pending' },
    { check_id: without.id, status: 'pending' },
  ])
  const { body } = await app.ask('GET', `/checks/${mobile.id}`)
  assert.equal(body.percent_passing, 0)
})

test('leaving a group resolves the issues of its checks and unblocks the device', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const group = await make.deviceGroup(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id, groupIds: [group.id] })
  const check = await make.check(organizationId, {
    configuration: { targeted_groups: [group.id], remediation_strategy: 'block_immediately' },
  })
  const issue = await make.issue({ device, check })
  assert.deepEqual(await deviceState(device.id), { auth_state: 'blocked', will_block_at: null })
  app.setNow('2026-11-20T11:00:00.000Z')
  await remove(group.id, device.id)
  app.setNow('2026-11-20T10:00:00.000Z')
  const { body } = await app.ask('GET', `/issues/${issue.id}`)
  assert.equal(body.resolved_at, '2026-11-20T11:00:00.000Z')
  assert.deepEqual(await deviceState(device.id), { auth_state: 'good', will_block_at: null })
  const events = await app.db.selectFrom('events').select(['type', 'cause']).orderBy('id', 'desc').limit(2).execute()
  assert.deepEqual(
    events.map(({ type }) => type),
    ['device_trust.status_changed', 'issues.resolved'],
  )
  assert.equal(new Set(events.map(({ cause }) => cause)).size, 1)
})

test('a group that may be blocked gives an issue its moment, and takes it away again', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const group = await make.deviceGroup(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  const check = await make.check(organizationId, {
    configuration: {
      remediation_strategy: 'warn_then_block',
      block_auth_grace_period_days: 3,
      blocking_allowed_groups: [group.id],
    },
  })
  const issue = await make.issue({ device, check })
  const blocksAt = async () => (await app.ask('GET', `/issues/${issue.id}`)).body.blocks_device_at
  assert.equal(await blocksAt(), null)
  assert.equal((await deviceState(device.id)).auth_state, 'notified')
  app.setNow('2026-11-20T12:00:00.000Z')
  await add(group.id, [device.id])
  assert.equal(await blocksAt(), '2026-11-23T12:00:00.000Z')
  assert.deepEqual(await deviceState(device.id), {
    auth_state: 'will_block',
    will_block_at: '2026-11-23T12:00:00.000Z',
  })
  await remove(group.id, device.id)
  app.setNow('2026-11-20T10:00:00.000Z')
  assert.equal(await blocksAt(), null)
  assert.deepEqual(await deviceState(device.id), { auth_state: 'notified', will_block_at: null })
})

test('the agents of the devices that moved are told, and no others', async () => {
  const { organizationId } = app.tenant
  const group = await make.deviceGroup(organizationId)
  const member = await make.device(organizationId, { groupIds: [group.id] })
  const [one, two] = [await make.device(organizationId), await make.device(organizationId)]
  await add(group.id, [member.id, one.id, two.id])
  const notices = await app.db.selectFrom('agent_notices').select('device_id').orderBy('device_id').execute()
  assert.deepEqual(notices, [{ device_id: one.id }, { device_id: two.id }])
})

test('changes of the same devices and groups at the same time keep the counts right', async () => {
  const { organizationId } = app.tenant
  const groups = [await make.deviceGroup(organizationId), await make.deviceGroup(organizationId)]
  await make.check(organizationId, { configuration: { targeted_groups: groups.map(({ id }) => id) } })
  const ids: string[] = []
  for (let index = 0; index < 6; index += 1) ids.push((await make.device(organizationId)).id)
  const answers = await Promise.all(
    groups.flatMap((group) => [
      add(group.id, ids),
      add(group.id, ids.slice(2).reverse()),
      ...ids.slice(0, 2).map((id) => remove(group.id, id)),
      ...ids.slice(4).map((id) => app.ask('DELETE', `/devices/${id}`)),
    ]),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).filter((status) => status >= 500),
    [],
  )
  for (const group of groups) {
    const { ids: members, count } = await membersOf(group.id)
    assert.equal(count, members.length)
  }
  const { body } = await app.ask('GET', '/devices')
  assert.equal(body.pagination.count, 4)
})
