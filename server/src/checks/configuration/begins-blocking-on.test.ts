import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { updateConfiguration } from './update-configuration.ts'

const database = testDatabase()
const make = makeIn(database)
const hour = (count: number) => plusMs(startOfTests, count * 3_600_000)

let organizationId: string
let check: MadeCheck
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  check = await make.check(organizationId, {
    name: 'Disk',
    configuration: { remediation_strategy: 'block_immediately' },
  })
})

async function set(beginsBlockingOn: string | null, now: string, checkId = check.id) {
  const change = { checkId, request: {}, beginsBlockingOn }
  await transact(database.db, (tx) => updateConfiguration(tx, change, systemChange(organizationId, now)))
  await recomputeCheck(database.db, { organizationId, checkId }, () => contextAt(now), new AbortController().signal)
}
const stateNow = () =>
  database.db.selectFrom('devices').select(['auth_state', 'will_block_at']).executeTakeFirstOrThrow()

test('before the moment the check blocks nobody, and without one it blocks as ever', async () => {
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  await make.issue({ device, check, at: hour(1) })
  await set(hour(10), hour(2))
  assert.deepEqual(await stateNow(), { auth_state: 'will_block', will_block_at: hour(10) })
  await set(null, hour(3))
  assert.deepEqual(await stateNow(), { auth_state: 'blocked', will_block_at: null })
  const { revision } = await database.db.selectFrom('check_configurations').select('revision').executeTakeFirstOrThrow()
  assert.equal(revision, '3')
  assert.deepEqual(
    (await database.db.selectFrom('audit_logs').select('description').orderBy('id').execute()).map(
      (row) => row.description,
    ),
    [
      `Updated the configuration of the check "Disk": start of blocking changed from no date to ${hour(10)}.`,
      `Updated the configuration of the check "Disk": start of blocking changed from ${hour(10)} to no date.`,
    ],
  )
})

test('an equal moment writes nothing, and an unknown check is not found', async () => {
  await set(hour(10), hour(2))
  const before = await rowVersions(database.db)
  await set(hour(10), hour(3))
  assert.deepEqual(await rowVersions(database.db), before)
  await assert.rejects(
    set(null, hour(3), '900000000000000001'),
    (error: unknown) => error instanceof ServiceError && error.code === 'not_found',
  )
})
