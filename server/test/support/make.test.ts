import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from './database.ts'
import { makeIn } from './make.ts'

const database = testDatabase()
const make = makeIn(database)
beforeEach(async () => {
  await database.ready
  await database.reset()
})

test('devices and checks are targeted whichever is made first', async () => {
  const { id } = await make.organization()
  const early = await make.device(id)
  const check = await make.check(id)
  const late = await make.device(id)
  const results = await database.db.selectFrom('check_results').select(['device_id', 'check_id', 'status']).execute()
  assert.deepEqual(results, [
    { device_id: early.id, check_id: check.id, status: 'pending' },
    { device_id: late.id, check_id: check.id, status: 'pending' },
  ])
})

test('a device is made with its owner and groups, and an issue by a failing result', async () => {
  const { id } = await make.organization()
  const owner = await make.person(id)
  const group = await make.deviceGroup(id)
  const device = await make.device(id, { registered_owner_id: owner.id, groupIds: [group.id] })
  const check = await make.check(id, { configuration: { remediation_strategy: 'block_immediately' } })
  const issue = await make.issue({ device, check })
  const stored = await database.db.selectFrom('devices').select(['registered_owner_id', 'auth_state']).execute()
  const groups = await database.db.selectFrom('device_groups').select('members_count').execute()
  assert.equal(issue.device_id, device.id)
  assert.deepEqual(stored, [{ registered_owner_id: owner.id, auth_state: 'blocked' }])
  assert.deepEqual(groups, [{ members_count: 1 }])
})
