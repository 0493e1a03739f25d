import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { previewConfiguration } from '../../src/checks/configuration/preview-configuration.ts'
import { savePreviewedConfiguration } from '../../src/checks/configuration/save-previewed-configuration.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { makeIn } from '../support/make.ts'
import { until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'

const database = testDatabase()
const make = makeIn(database)
const devices = 24

beforeEach(async () => {
  await database.ready
  await database.reset()
})

async function enroll(organizationId: string): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < devices; number += 1) {
    const owner = await make.person(organizationId)
    ids.push((await make.device(organizationId, { registered_owner_id: owner.id })).id)
  }
  return ids
}

const statesOf = async () => {
  const rows = await database.db.selectFrom('devices').select('auth_state').execute()
  return rows.map(({ auth_state: state }) => state)
}

testOnPostgres('two servers count the blocks of a check together, and signal none that is held', async (t) => {
  const place = openPostgresPlace(t, { url: database.url, db: database.db })
  const servers = await Promise.all([place.start(['serve', '--no-worker']), place.start(['serve', '--no-worker'])])
  await place.startWorker()
  const { id: organizationId } = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const check = await make.check(organizationId, {
    type: 'external',
    configuration: { remediation_strategy: 'block_immediately' },
  })
  const ids = await enroll(organizationId)
  const report = async (deviceId: string, number: number) => {
    const body = { device_id: deviceId, check_data: { KOLIDE_CHECK_STATUS: 'FAIL' } }
    const { status } = await servers[number % 2 === 0 ? 0 : 1].ask('POST', `/checks/${check.id}/runs`, {
      ...{ key: place.key, body },
    })
    return status
  }
  const statuses = await Promise.all(ids.map(report))
  assert.deepEqual([...new Set(statuses)], [200])
  await until(30_000, async () => !(await statesOf()).includes('blocked'))
  const holds = await database.db.selectFrom('block_holds').select(['decision', 'owner_limit']).execute()
  assert.deepEqual(holds, [{ decision: null, owner_limit: 10 }])
  const told = await database.db
    .selectFrom('events')
    .select('device_id')
    .where('type', '=', 'device_trust.status_changed')
    .execute()
  const toldOnce = new Set(told.map(({ device_id: id }) => id))
  assert.ok(toldOnce.size <= 10, `${toldOnce.size} devices were told of before the limit was reached`)
  const entries = await database.db
    .selectFrom('audit_logs')
    .select('actor_type')
    .where('action', '=', 'check.blocks_held')
    .execute()
  assert.deepEqual(entries, [{ actor_type: 'System' }])
})

testOnPostgres('a promised hold is kept while two servers record what devices report', async (t) => {
  const place = openPostgresPlace(t, { url: database.url, db: database.db })
  const servers = await Promise.all([place.start(['serve', '--no-worker']), place.start(['serve', '--no-worker'])])
  await place.startWorker()
  const { id: organizationId } = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const check = await make.check(organizationId, { type: 'external' })
  const ids = await enroll(organizationId)
  const report = async (deviceId: string, number: number) => {
    const body = { device_id: deviceId, check_data: { KOLIDE_CHECK_STATUS: 'FAIL' } }
    await servers[number % 2 === 0 ? 0 : 1].ask('POST', `/checks/${check.id}/runs`, { key: place.key, body })
  }
  const unsaved = { organizationId, checkId: check.id, request: { remediation_strategy: 'block_immediately' as const } }
  /** Returns how many were refused, since other devices would have been hit than were shown. */
  const saveOnceItHolds = async (refused = 0): Promise<number> => {
    const now = new Date().toISOString()
    const preview = await previewConfiguration(database.db, unsaved, { now, most: 0 })
    if (preview.held === null) return saveOnceItHolds(refused)
    const saving = { ...unsaved, token: preview.token }
    try {
      await transact(database.db, (tx) => savePreviewedConfiguration(tx, saving, systemChange(organizationId, now)))
      return refused
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'preview_outdated') throw error
      return saveOnceItHolds(refused + 1)
    }
  }
  const [refused] = await Promise.all([saveOnceItHolds(), ...ids.map(report)])
  t.diagnostic(`${refused} saves were refused`)
  await until(30_000, async () => {
    const running = await database.db.selectFrom('check_recomputations').select('finished_at').execute()
    return running.every(({ finished_at: at }) => at !== null)
  })
  assert.deepEqual([...new Set(await statesOf())], ['good'])
  const held = await database.db.selectFrom('issues').select('id').where('hold_id', 'is not', null).execute()
  assert.equal(held.length, devices)
  const told = await database.db
    .selectFrom('events')
    .select('device_id')
    .where('type', '=', 'device_trust.status_changed')
    .execute()
  assert.deepEqual(told, [], 'nothing is signaled')
})
