import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { plusMs } from '../../base/time.ts'
import { listNextToBlock } from './next-to-block.ts'

const app = testApp()
const make = makeIn(app)
const hours = (count: number) => plusMs(app.now(), count * 3_600_000)

beforeEach(() => app.reset())

async function seen(name: string, columns: object = {}) {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, {
    ...{ name, registered_owner_id: owner.id, registered_at: hours(-900) },
    ...columns,
  })
  const presence = { organization_id: organizationId, device_id: device.id, last_seen_at: app.now() }
  await app.db.insertInto('device_presence').values(presence).execute()
  return device
}

/** A device that one issue after the other blocks, so many hours from now each. */
async function failing(name: string, ...blocksIn: readonly number[]) {
  const { organizationId } = app.tenant
  const device = await seen(name)
  for (const at of blocksIn) {
    const check = await make.check(organizationId, {
      configuration: { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 1 },
    })
    const issue = await make.issue({ device, check, at: app.now() })
    await app.db
      .updateTable('issues')
      .set({ blocks_device_at: hours(at) })
      .where('id', '=', issue.id)
      .execute()
  }
  const first = Math.min(...blocksIn)
  const state = first > 0 ? { auth_state: 'will_block', will_block_at: hours(first) } : { auth_state: 'blocked' }
  await app.db
    .updateTable('devices')
    .set({ will_block_at: null, ...(state as { auth_state: 'blocked' }) })
    .where('id', '=', device.id)
    .execute()
  return device
}

const listed = async () => {
  const rows = await listNextToBlock(app.db, app.tenant.organizationId, app.now(), 6)
  return rows.map(({ name, blocks_device_at: at }) => [
    name,
    at === null ? null : (Date.parse(at) - Date.parse(app.now())) / 3_600_000,
  ])
}

test('the dashboard lists the blocked, latest first, and what will be blocked, soonest first, and neither hides the other', async () => {
  const late = [-200, -30, -2, -50, -1, -100, -70]
  for (const at of late) await failing(`blocked ${-at}`, at)
  // It was blocked long before its second issue came.
  await failing('twice', -300, -0.5)
  for (const at of [48, 3, 20, 9, 1]) await failing(`soon ${at}`, at, at + 5)
  await failing('on a silent device', -0.1)
  const silent = await app.db.selectFrom('devices').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
  await app.db
    .updateTable('device_presence')
    .set({ last_seen_at: hours(-24 * 8) })
    .where('device_id', '=', silent.id)
    .execute()
  assert.deepEqual(await listed(), [
    ['blocked 1', -1],
    ['blocked 2', -2],
    ['blocked 30', -30],
    ['soon 1', 1],
    ['soon 3', 3],
    ['soon 9', 9],
  ])
  await app.db.updateTable('devices').set({ auth_state: 'good' }).where('name', 'like', 'soon%').execute()
  assert.deepEqual(
    (await listed()).map(([name]) => name),
    ['blocked 1', 'blocked 2', 'blocked 30', 'blocked 50', 'blocked 70', 'blocked 100'],
  )
  await app.db.updateTable('devices').set({ auth_state: 'will_block' }).where('name', 'like', 'soon%').execute()
  await app.db
    .updateTable('devices')
    .set({ auth_state: 'good' })
    .where('name', 'not in', ['blocked 2', 'soon 3'])
    .execute()
  assert.deepEqual(await listed(), [
    ['blocked 2', -2],
    ['soon 3', 3],
  ])
})

test('a blocked device whose issues are gone is listed as well, and of another organization none', async () => {
  const { organizationId } = app.tenant
  await seen('kept', { auth_state: 'blocked', registration_suspended_at: app.now() })
  await failing('blocked', -4)
  assert.deepEqual(await listed(), [
    ['blocked', -4],
    ['kept', null],
  ])
  const other = await app.addTenant('Other')
  assert.notEqual(other.organizationId, organizationId)
  assert.deepEqual(await listNextToBlock(app.db, other.organizationId, app.now(), 6), [])
})
