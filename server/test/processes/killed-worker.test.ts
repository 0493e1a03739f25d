import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { letBlocksThrough } from '../support/let-blocks-through.ts'
import { until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'

const database = testDatabase()
const devices = 4_000

testOnPostgres('a recomputation whose worker is killed is taken over by another, and told once', async (t) => {
  const place = openPostgresPlace(t, { url: database.url, db: database.db })
  const server = await place.start(['serve', '--no-worker'])
  const checks = await server.ask('GET', `/checks?query=${encodeURIComponent('slug:linux-pending-reboot')}`, {
    key: place.key,
  })
  const { id: checkId } = checks.body.data[0]
  const [one, other] = await Promise.all(
    ['one', 'other'].map((name) => place.startWorker({ DATABASE_URL: named(name) })),
  )
  await until(60_000, async () => (await unfinished()) === 0)
  await addFailingDevices(checkId)
  const { id: organizationId } = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  await letBlocksThrough(database.db, organizationId, checkId, new Date().toISOString())

  const body = { remediation_strategy: 'block_immediately' }
  const changed = await server.ask('PATCH', `/checks/${checkId}/configurations`, { key: place.key, body })
  assert.equal(changed.status, 200)
  const settled = async () => (await progressOf(checkId)).settled_devices
  await until(60_000, async () => (await settled()) > 0, 5)
  const worker = (await busyWorker()) === 'one' ? one : other
  await worker?.kill()
  const atKill = await settled()
  assert.ok(atKill < devices, `it was killed in time: ${atKill}`)
  const tookMs = await until(300_000, async () => (await progressOf(checkId)).finished_at !== null, 200)
  t.diagnostic(`${atKill} of ${devices} were settled at the kill, the rest ${Math.round(tookMs / 1000)} s later`)

  const { rows } = await sql<{ blocked: string; told: string; told_twice: string }>`
    select (select count(*) from devices where auth_state = 'blocked') as blocked,
      (select count(*) from events where type = 'device_trust.status_changed') as told,
      (select count(*) from (select device_id from events where type = 'device_trust.status_changed'
        group by device_id having count(*) > 1) as twice) as told_twice`.execute(database.db)
  assert.deepEqual(rows, [{ blocked: String(devices), told: String(devices), told_twice: '0' }])
  assert.equal(await settled(), devices, 'nothing was done over again')
})

const named = (name: string): string => `${database.url}?application_name=${name}`

/** The work goes over one connection at a time, which shows what it last asked. */
async function busyWorker(): Promise<string | undefined> {
  const { rows } = await sql<{ application_name: string }>`
    select application_name from pg_stat_activity
    where datname = current_database() and application_name in ('one', 'other')
    order by xact_start desc nulls last, state_change desc limit 1`.execute(database.db)
  return rows[0]?.application_name
}

async function unfinished(): Promise<number> {
  const rows = await database.db
    .selectFrom('check_recomputations')
    .select('check_id')
    .where('finished_at', 'is', null)
    .execute()
  return rows.length
}

const progressOf = (checkId: string) =>
  database.db
    .selectFrom('check_recomputations')
    .select(['settled_devices', 'finished_at'])
    .where('check_id', '=', checkId)
    .executeTakeFirstOrThrow()

/** Registered devices with an open issue of the check each. */
const addFailingDevices = (checkId: string) =>
  database.connection.executeScript(`
    insert into devices (organization_id, name, device_type, form_factor, registered_owner_id, registered_at, created_at, enrolled_at)
    select people.organization_id, 'Device ' || n, 'Linux', 'computer', people.id, now(), now(), now()
    from people, generate_series(1, ${devices}) as n;
    insert into check_results (organization_id, device_id, check_id, status, ran_at, query_revision)
    select organization_id, id, ${checkId}, 'failing', now(), 1 from devices;
    insert into issues (organization_id, device_id, check_id, title, value, detected_at, last_rechecked_at)
    select organization_id, id, ${checkId}, 'Failing', '{}', now(), now() from devices;`)
