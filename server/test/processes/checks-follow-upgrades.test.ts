import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { catalogue } from '../../src/checks/catalogue/catalogue.ts'
import { editionOf } from '../../src/checks/catalogue/catalogue-check.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { contextAt, makeIn } from '../support/make.ts'
import { until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'

const database = testDatabase()
const make = makeIn(database)

beforeEach(async () => {
  await database.ready
  await database.reset()
})

testOnPostgres(
  'two workers of a new version bring every organization’s checks up to it once, and hold what they newly fail',
  async (t) => {
    const place = openPostgresPlace(t, { url: database.url, db: database.db })
    const [shipped] = catalogue
    assert.ok(shipped)
    const made = []
    for (let number = 0; number < 30; number += 1) {
      const { id } = await make.organization()
      const owner = await make.person(id)
      const device = await make.device(id, { registered_owner_id: owner.id })
      const check = await make.check(id, {
        ...{ slug: shipped.slug, name: `Of organization ${id}` },
        configuration: { remediation_strategy: 'block_immediately' },
      })
      await make.result({ device, check, rows: 'PASS' })
      made.push({ device, check })
    }
    await Promise.all([place.startWorker(), place.startWorker()])
    await until(30_000, async () => {
      const behind = await database.db
        .selectFrom('checks')
        .select('id')
        .where('slug', '=', shipped.slug)
        .where('edition', '<', editionOf(shipped))
        .execute()
      return behind.length === 0
    })
    const checks = await database.db
      .selectFrom('checks')
      .select(['name', 'sql_template'])
      .distinct()
      .where('slug', '=', shipped.slug)
      .execute()
    assert.deepEqual(checks, [{ name: shipped.name, sql_template: shipped.sql }])
    const updated = await database.db
      .selectFrom('audit_logs')
      .select('id')
      .where('action', '=', 'check.updated')
      .execute()
    assert.equal(updated.length, made.length, 'each once')
    const at = contextAt('2026-11-20T12:00:00.000Z').now
    for (const { device, check } of made) await make.result({ device, check, rows: 'FAIL', at })
    const states = await database.db.selectFrom('devices').select('auth_state').distinct().execute()
    assert.deepEqual(states, [{ auth_state: 'good' }])
    const holds = await database.db.selectFrom('block_holds').select('id').where('decision', 'is', null).execute()
    assert.equal(holds.length, made.length)
  },
)
