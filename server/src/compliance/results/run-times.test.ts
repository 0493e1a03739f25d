import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import type { Db } from '../../base/db/transact.ts'
import { rememberRunTimes } from './run-times.ts'

const database = testDatabase()
const make = makeIn(database)

beforeEach(() => database.reset())

const later = '2026-11-20T11:00:00.000Z'

async function storedRuns(): Promise<Record<string, Record<string, string>>> {
  const rows = await database.db.selectFrom('device_check_runs').selectAll().execute()
  return Object.fromEntries(
    rows.map((row) => [
      row.device_id,
      Object.fromEntries(row.check_ids.map((checkId, index) => [checkId, row.ran_at[index] ?? ''])),
    ]),
  )
}

const away = (): Db =>
  Object.assign(Object.create(database.db), {
    withoutPlugins: () => {
      throw new Error('Connection terminated')
    },
  })

async function makePlace() {
  const { id: organizationId } = await make.organization()
  const [first, second] = [await make.check(organizationId), await make.check(organizationId)]
  const device = await make.device(organizationId)
  return { organizationId, device, first, second }
}

test('runs of a device are kept in one row, each check with its latest', async () => {
  const { organizationId, device, first, second } = await makePlace()
  const runTimes = rememberRunTimes()
  runTimes.note(organizationId, device.id, [{ checkId: first.id, ranAt: later }])
  runTimes.note(organizationId, device.id, [{ checkId: first.id, ranAt: startOfTests }])
  await runTimes.flush(database.db)
  runTimes.note(organizationId, device.id, [
    { checkId: first.id, ranAt: startOfTests },
    { checkId: second.id, ranAt: startOfTests },
  ])
  await runTimes.flush(database.db)
  assert.deepEqual(await storedRuns(), { [device.id]: { [first.id]: later, [second.id]: startOfTests } })
  assert.equal(runTimes.unwritten(organizationId, device.id).size, 0)
})

test('what could not be written is kept and goes with the next flush', async () => {
  const { organizationId, device, first, second } = await makePlace()
  const runTimes = rememberRunTimes()
  runTimes.note(organizationId, device.id, [
    { checkId: first.id, ranAt: startOfTests },
    { checkId: second.id, ranAt: startOfTests },
  ])
  const failed = runTimes.flush(away())
  runTimes.note(organizationId, device.id, [{ checkId: second.id, ranAt: later }])
  await assert.rejects(failed)
  assert.deepEqual(
    new Map(runTimes.unwritten(organizationId, device.id)),
    new Map([
      [first.id, startOfTests],
      [second.id, later],
    ]),
  )
  await runTimes.flush(database.db)
  assert.deepEqual(await storedRuns(), { [device.id]: { [first.id]: startOfTests, [second.id]: later } })
})

test('refreshes asked for by then are over, open issues are confirmed', async () => {
  const { organizationId, device, first, second } = await makePlace()
  const issue = await make.issue({ device, check: first })
  for (const [check, requested_at] of [
    [first, startOfTests],
    [second, later],
  ] as const) {
    await database.db
      .insertInto('check_refreshes')
      .values({ organization_id: organizationId, device_id: device.id, check_id: check.id, requested_at })
      .execute()
  }
  const runTimes = rememberRunTimes()
  const ranAt = '2026-11-20T10:30:00.000Z'
  runTimes.note(organizationId, device.id, [
    { checkId: first.id, ranAt },
    { checkId: second.id, ranAt },
  ])
  await runTimes.flush(database.db)
  const refreshes = await database.db.selectFrom('check_refreshes').select('check_id').execute()
  assert.deepEqual(refreshes, [{ check_id: second.id }])
  const confirmed = await database.db.selectFrom('issues').select(['id', 'last_rechecked_at']).execute()
  assert.deepEqual(confirmed, [{ id: issue.id, last_rechecked_at: ranAt }])
})
