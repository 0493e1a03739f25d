import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { sql } from 'kysely'
import { deleteDevice } from '../../src/administration/registrations/delete-device.ts'
import { restoreDevice } from '../../src/administration/registrations/restore-device.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { type Db, transact } from '../../src/base/db/transact.ts'
import { plusMs } from '../../src/base/time.ts'
import { updateConfiguration } from '../../src/checks/configuration/update-configuration.ts'
import { type CheckRun, recordTogether } from '../../src/compliance/results/record-results.ts'
import { recomputeCheck } from '../../src/compliance/targeting/recompute-check.ts'
import { settleDueDevices } from '../../src/inventory/devices/settle-due-devices.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { letBlocksThrough } from '../support/let-blocks-through.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../support/make.ts'
import { recordResults } from '../support/record-results.ts'

const database = testDatabase()
const make = makeIn(database)
const moment = (seconds: number) => plusMs(startOfTests, seconds * 1_000)
/** Everything happens at once; only the queries were handed out one after another. */
const present = moment(10_000)

/** What the queries are at by now, where that was changed. */
const revisions = new Map<string, string>()
let organizationId: string
let db: Db
beforeEach(async () => {
  await database.ready
  db = database.db
  revisions.clear()
  await database.reset()
  organizationId = (await make.organization()).id
})

const options = { level: { kind: 'integer', title: 'L', description: 'L', default: 0, min: 0, max: 9 } }

async function fleet(deviceCount: number, checkCount: number) {
  const owner = await make.person(organizationId)
  const checks: MadeCheck[] = []
  while (checks.length < checkCount) {
    const configuration = { remediation_strategy: 'block_immediately' } as const
    const option_definitions = JSON.stringify(options)
    const check = await make.check(organizationId, { configuration, primary_key_column: 'user', option_definitions })
    await letBlocksThrough(database.db, organizationId, check.id, present)
    checks.push(check)
  }
  const devices: string[] = []
  while (devices.length < deviceCount) {
    // All in two shards of the tallies, where they get into each other's way most.
    const id = String(32 * (devices.length + 1) + (devices.length % 2))
    devices.push((await make.device(organizationId, { id, registered_owner_id: owner.id })).id)
  }
  return { checks, devices }
}

const run = (check: MadeCheck, users: Record<string, string>, seconds: number): CheckRun => ({
  checkId: check.id,
  queryRevision: revisions.get(check.id) ?? '1',
  ranAt: moment(seconds),
  outcome: {
    kind: 'rows',
    rows: Object.entries(users).map(([user, status]) => ({ user, KOLIDE_CHECK_STATUS: status })),
  },
})

const record = (deviceId: string, runs: CheckRun[]) =>
  recordResults(db, { organizationId, deviceId, runs }, contextAt(present))

/** Does work over connections of its own, which report to the statistics when they close. */
async function overOwnConnections<T>(work: () => Promise<T>): Promise<T> {
  assert.ok(database.url !== undefined)
  const connection = await connectPostgres({ url: database.url, maxConnections: 10 })
  db = connection.db
  try {
    return await work()
  } finally {
    await connection.close()
    db = database.db
  }
}

const deadlocks = async () => {
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`.execute(database.db)
  return rows[0]?.deadlocks ?? -1
}

/** Tallies that differ from a recount, and devices whose state is not what their open issues make. */
async function drift() {
  const { rows } = await sql`
    with counted as (
      select check_results.check_id, count(*) filter (where status not in ('inapplicable', 'out_of_scope')) as counted,
        count(*) filter (where status = 'passing') as passing, count(*) filter (where status = 'failing') as failing
      from check_results join devices on devices.id = check_results.device_id and devices.deleted_at is null group by 1
    ), tallied as (select check_id, sum(counted) as counted, sum(passing) as passing, sum(failing) as failing
      from check_tallies group by 1)
    select 'tally' as what, check_id as id from counted full join tallied using (check_id)
    where coalesce(counted.counted, 0) <> coalesce(tallied.counted, 0)
      or coalesce(counted.passing, 0) <> coalesce(tallied.passing, 0)
      or coalesce(counted.failing, 0) <> coalesce(tallied.failing, 0)
    union all
    select 'state', id from devices where deleted_at is null and auth_state <> case
      when exists (select from issues where device_id = devices.id and resolved_at is null and blocks_device_at is not null)
      then 'blocked' else 'good' end
    union all
    select 'chain', device_id from (
      select device_id, data ->> 'from' as from_state,
        lag(data ->> 'to', 1, 'good') over (partition by device_id order by id) as to_state
      from events where type = 'device_trust.status_changed'
    ) as news where from_state <> to_state`.execute(database.db)
  return rows
}

/** Does all tasks, forty at a time, which is more than there are connections and less than a queue that times out. */
async function together(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const rest = tasks.values()
  const lane = async () => {
    for (const task of rest) await task()
  }
  await overOwnConnections(() => Promise.all(Array.from({ length: 40 }, lane)))
}

/** Numbers that look random and are the same every time. */
function dice(seed: number) {
  let state = seed
  return (sides: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

testOnPostgres('results of one device come one after another, and none is lost', async () => {
  const { checks, devices } = await fleet(1, 12)
  const [deviceId = ''] = devices
  const answers = await Promise.all(
    checks.map((check) => record(deviceId, [run(check, { ada: 'FAIL', eve: 'PASS' }, 1)])),
  )
  assert.ok(answers.every((accepted) => accepted.length === 1))
  const news = await database.db.selectFrom('events').select('type').execute()
  assert.equal(news.filter((one) => one.type === 'issues.new').length, 12)
  assert.equal(news.filter((one) => one.type === 'device_trust.status_changed').length, 1)
  assert.deepEqual(await drift(), [])
})

testOnPostgres('of the same result sent many times at once, one opens the issue', async () => {
  const { checks, devices } = await fleet(1, 1)
  const [check, deviceId] = [checks[0], devices[0]]
  assert.ok(check && deviceId)
  await Promise.all(Array.from({ length: 10 }, () => record(deviceId, [run(check, { ada: 'FAIL' }, 1)])))
  assert.equal((await database.db.selectFrom('issues').select('id').execute()).length, 1)
  assert.equal((await database.db.selectFrom('events').select('id').execute()).length, 2)
})

testOnPostgres('hundreds of check-ins at once neither deadlock nor drift', async (t) => {
  const { checks, devices } = await fleet(60, 8)
  const before = await deadlocks()
  const roll = dice(7)
  const words = ['PASS', 'FAIL', 'FAIL', 'INAPPLICABLE', 'UNKNOWN']
  const startedAt = performance.now()
  const checkIns = 600
  const checkIn = (second: number) => {
    const runs = checks
      .filter(() => roll(2) === 0)
      .map((check) => run(check, { ada: words[roll(5)] ?? 'PASS', bob: words[roll(5)] ?? 'PASS' }, second))
    return record(devices[roll(devices.length)] ?? '', second % 2 === 0 ? runs : runs.toReversed())
  }
  await together(Array.from({ length: checkIns }, (_, second) => () => checkIn(second)))
  t.diagnostic(`${Math.round(checkIns / ((performance.now() - startedAt) / 1_000))} check-ins a second`)
  assert.deepEqual(await drift(), [])
  assert.equal(await deadlocks(), before)
})

testOnPostgres('check-ins, configurations, recomputations, sweeps and deletions at once do not drift', async () => {
  const { checks, devices } = await fleet(30, 3)
  const roll = dice(11)
  const strategies = ['block_immediately', 'report_only'] as const
  const before = await deadlocks()
  const configure = async (check: MadeCheck) => {
    const request = {
      remediation_strategy: strategies[roll(2)] ?? 'report_only',
      excluded_groups: roll(3) === 0 ? ['macos'] : [],
      options: { level: roll(9) },
    }
    await transact(db, (tx) =>
      updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, present)),
    )
    revisions.set(check.id, await revisionOf(check))
    await recompute(check)
  }
  const revisionOf = async (check: MadeCheck) => {
    const configured = await db
      .selectFrom('check_configurations')
      .select('query_revision')
      .where('check_id', '=', check.id)
      .executeTakeFirstOrThrow()
    return configured.query_revision
  }
  const recompute = (check: MadeCheck) =>
    recomputeCheck(db, { organizationId, checkId: check.id }, () => contextAt(present), new AbortController().signal)
  const deleteAndRestore = async (deviceId: string) => {
    const about = { deviceId }
    await transact(db, (tx) => deleteDevice(tx, about, systemChange(organizationId, present)))
    await transact(db, (tx) => restoreDevice(tx, about, systemChange(organizationId, present)))
  }
  const checkIn = (second: number) => {
    const users = { ada: roll(2) === 0 ? 'PASS' : 'FAIL', bob: roll(2) === 0 ? 'PASS' : 'FAIL' }
    const runs = checks.map((check) => run(check, users, second))
    return record(devices[roll(devices.length)] ?? '', runs)
  }
  const batch = (second: number) => {
    const some = devices.filter(() => roll(4) === 0).toSorted(() => roll(3) - 1)
    const runs = checks.map((check) => run(check, { ada: roll(2) === 0 ? 'PASS' : 'FAIL' }, second))
    const recordings = some.map((deviceId) => ({ organizationId, deviceId, runs, context: contextAt(present) }))
    return recordTogether(db, organizationId, recordings)
  }
  const tasks = [
    ...Array.from({ length: 200 }, (_, second) => () => checkIn(second)),
    ...Array.from({ length: 40 }, (_, round) => () => batch(round * 5)),
    ...Array.from({ length: 4 }).flatMap(() => checks.map((check) => () => configure(check))),
    ...devices.slice(0, 10).map((device) => () => deleteAndRestore(device)),
    ...Array.from({ length: 5 }, () => () => settleDueDevices(db, () => contextAt(present))),
  ]
  const drawn = tasks.map((task) => ({ task, place: roll(1_000) })).toSorted((one, other) => one.place - other.place)
  await together(drawn.map(({ task }) => task))
  assert.deepEqual(await drift(), [])
  assert.equal(await deadlocks(), before)
  await Promise.all(checks.map((check) => configure(check)))
  const versions = await database.db
    .selectFrom('issues')
    .select(['id', 'blocks_device_at', 'resolved_at'])
    .orderBy('id')
    .execute()
  await database.db
    .updateTable('check_recomputations')
    .set({ finished_at: null, last_device_id: '0', scope: 'all_devices' })
    .execute()
  for (const check of checks) await recompute(check)
  assert.deepEqual(
    await database.db.selectFrom('issues').select(['id', 'blocks_device_at', 'resolved_at']).orderBy('id').execute(),
    versions,
    'deciding everything again finds nothing that was left behind',
  )
})
