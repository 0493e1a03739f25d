import assert from 'node:assert/strict'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { makeIn } from '../support/make.ts'
import { until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'

const database = testDatabase()
const make = makeIn(database)
const devices = 24

testOnPostgres('two servers count the blocks of a check together, and signal none that is held', async (t) => {
  const place = openPostgresPlace(t, { url: database.url, db: database.db })
  const servers = await Promise.all([place.start(['serve', '--no-worker']), place.start(['serve', '--no-worker'])])
  await place.startWorker()
  const { id: organizationId } = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const check = await make.check(organizationId, {
    type: 'external',
    configuration: { remediation_strategy: 'block_immediately' },
  })
  const ids: string[] = []
  for (let number = 0; number < devices; number += 1) {
    const owner = await make.person(organizationId)
    ids.push((await make.device(organizationId, { registered_owner_id: owner.id })).id)
  }
  const report = async (deviceId: string, number: number) => {
    const body = { device_id: deviceId, check_data: { KOLIDE_CHECK_STATUS: 'FAIL' } }
    const { status } = await servers[number % 2 === 0 ? 0 : 1].ask('POST', `/checks/${check.id}/runs`, {
      ...{ key: place.key, body },
    })
    return status
  }
  const statesOf = async () => {
    const rows = await database.db.selectFrom('devices').select('auth_state').execute()
    return rows.map(({ auth_state: state }) => state)
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
