import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import { testDatabase } from '../../../test/support/database.ts'
import { testMigrations } from '../db/test-schema.ts'
import { type Tx, transact } from '../db/transact.ts'
import { jobsSchema, queueDefaults } from './queue-defaults.ts'
import { type QueueJobOptions, queueJob as queueProductJob } from './queue-job.ts'
import { type Job, type JobHandler, type JobSettings, type Jobs, startJobs } from './start-jobs.ts'

/** Jobs of the tests' own, which the product does not have. */
const queueJob = queueProductJob as (
  tx: Tx,
  name: string,
  data: object,
  options?: QueueJobOptions,
) => Promise<string | undefined>

type Handlers = Readonly<Record<string, JobHandler>>

const database = testDatabase(testMigrations)
const running: Jobs[] = []
const errors: Error[] = []

beforeEach(async () => {
  errors.length = 0
  await database.reset()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((jobs) => jobs.stop()))
})

async function start({ queued, ...settings }: Omit<JobSettings, 'onError' | 'queued'> & { queued: Handlers }) {
  const onError = (error: Error) => errors.push(error)
  running.push(await startJobs(database.connection, { ...settings, queued: queued as JobSettings['queued'], onError }))
}

/** A handler that keeps what it was given, and a way to wait until it was given so many. */
function collector(work: (job: Job) => Promise<void> = async () => {}) {
  const given: Job[] = []
  const changes = new EventEmitter()
  const handler = async (job: Job) => {
    given.push(job)
    changes.emit('given')
    await work(job)
  }
  const waitFor = async (count: number) => {
    const signal = AbortSignal.timeout(120_000)
    while (given.length < count) await once(changes, 'given', { signal })
  }
  return { given, handler, waitFor }
}

test('a job queued in a transaction is worked on after its commit, promptly', async () => {
  const { given, handler, waitFor } = collector()
  // It polls for jobs only long after the test, so that a notification is what wakes it.
  await start({ queued: { 'send-report': handler }, pollSeconds: 3_600 })
  const id = await transact(database.db, async (tx) => {
    const queued = await queueJob(tx, 'send-report', { person: '7' })
    await pause(50)
    assert.deepEqual(given, [])
    return queued
  })
  await waitFor(1)
  assert.deepEqual(given, [{ id, data: { person: '7' } }])
})

test('a job queued in a transaction that rolls back does not exist', async () => {
  const { given, handler, waitFor } = collector()
  await start({ queued: { cleanup: handler } })
  const work = transact(database.db, async (tx) => {
    await queueJob(tx, 'cleanup', { run: 'lost' })
    throw new Error('no')
  })
  await assert.rejects(work)
  await transact(database.db, (tx) => queueJob(tx, 'cleanup', { run: 'kept' }))
  await waitFor(1)
  assert.deepEqual(
    given.map(({ data }) => data),
    [{ run: 'kept' }],
  )
})

test('a job can be queued before any worker has ever named its queue', async () => {
  await transact(database.db, (tx) => queueJob(tx, 'unheard-of', { early: true }))
  const { given, handler, waitFor } = collector()
  await start({ queued: { 'unheard-of': handler } })
  await waitFor(1)
  assert.deepEqual(
    given.map(({ data }) => data),
    [{ early: true }],
  )
})

test('of jobs with the same singleton key one waits at a time', async () => {
  const queue = (key: string) => transact(database.db, (tx) => queueJob(tx, 'recompute', {}, { singletonKey: key }))
  assert.ok(await queue('fleet 1'))
  assert.equal(await queue('fleet 1'), undefined)
  assert.ok(await queue('fleet 2'))
  const { handler, waitFor } = collector()
  await start({ queued: { recompute: handler } })
  await waitFor(2)
  assert.ok(await queue('fleet 1'), 'once it is taken the next may wait')
})

test('a job is the row that pg-boss itself writes', async () => {
  const { db, executeScript, engine } = database.connection
  const boss = new PgBoss({
    ...{ schema: jobsSchema, backend: engine, supervise: false, schedule: false },
    db: {
      executeSql: async (text, values = []) =>
        values.length === 0
          ? { rows: await executeScript(text) }
          : { rows: (await db.executeQuery(CompiledQuery.raw(text, values))).rows },
    },
  })
  await boss.start()
  try {
    await boss.createQueue('theirs', { ...queueDefaults, policy: 'short' })
    await boss.send('theirs', { place: 7 }, { singletonKey: 'one', startAfter: 60 })
  } finally {
    await boss.stop({ graceful: false })
  }
  const options = { singletonKey: 'one', startAfterSeconds: 60 }
  await transact(database.db, (tx) => queueJob(tx, 'ours', { place: 7 }, options))
  const rowOf = async (name: string) => {
    const [row = {}] = await executeScript(`
      select to_jsonb(job) - '{id,name,created_on,start_after,keep_until}'::text[] as row,
        round(extract(epoch from start_after - created_on))::int as waits,
        extract(epoch from keep_until - start_after)::int as kept
      from pgboss.job where name = '${name}'`)
    return row
  }
  assert.deepEqual(await rowOf('ours'), await rowOf('theirs'))
})

test('a job with a delay waits for it', async () => {
  await transact(database.db, (tx) => queueJob(tx, 'later', {}, { startAfterSeconds: 3_600 }))
  const { rows } = await sql<{ minutes: number }>`
    select round(extract(epoch from start_after - now()) / 60)::int as minutes from pgboss.job`.execute(database.db)
  assert.deepEqual(rows, [{ minutes: 60 }])
  const { given, handler } = collector()
  await start({ queued: { later: handler } })
  await pause(300)
  assert.deepEqual(given, [])
})

/** The first retry would wait five seconds or more. */
async function bringRetryForward(): Promise<void> {
  for (let count = 0; count === 0; await pause(20)) {
    const { rows } = await sql`
      update pgboss.job set start_after = now() where state = 'retry' returning id`.execute(database.db)
    count = rows.length
  }
}

test('a failing job is reported and tried again without repeating its neighbours', async () => {
  let failures = 0
  const { given, handler, waitFor } = collector(async ({ data }) => {
    if ((data as { number: number }).number === 1 && failures++ === 0) throw new Error('not today')
  })
  await transact(database.db, async (tx) => {
    for (const number of [0, 1, 2]) await queueJob(tx, 'flaky', { number })
  })
  await start({ queued: { flaky: handler } })
  await waitFor(3)
  await bringRetryForward()
  await transact(database.db, (tx) => queueJob(tx, 'flaky', { number: 3 }))
  await waitFor(5)
  assert.deepEqual(given.map(({ data }) => (data as { number: number }).number).toSorted(), [0, 1, 1, 2, 3])
  assert.match(errors[0]?.message ?? '', /The job flaky failed: not today/)
})

test('a thousand jobs are worked through without waiting for polls', async () => {
  const { given, handler, waitFor } = collector()
  await transact(database.db, async (tx) => {
    for (let number = 0; number < 1_000; number += 1) await queueJob(tx, 'bulk', { number })
  })
  await start({ queued: { bulk: handler }, pollSeconds: 3_600 })
  await waitFor(1_000)
  assert.equal(new Set(given.map(({ id }) => id)).size, 1_000)
})

test('the schedules are exactly those given at the start', async () => {
  const run = async () => {}
  const read = async () =>
    (
      await sql<{ name: string; cron: string }>`select name, cron from pgboss.schedule order by name`.execute(
        database.db,
      )
    ).rows
  await start({
    queued: {},
    scheduled: { nightly: { cron: '0 3 * * *', run }, hourly: { cron: '5 * * * *', run } },
  })
  assert.deepEqual(await read(), [
    { name: 'hourly', cron: '5 * * * *' },
    { name: 'nightly', cron: '0 3 * * *' },
  ])
  await running.pop()?.stop()
  await start({ queued: {}, scheduled: { nightly: { cron: '0 4 * * *', run } } })
  assert.deepEqual(await read(), [{ name: 'nightly', cron: '0 4 * * *' }])
})

test('a job that is interrupted by a stop is tried again', async () => {
  const { given, handler, waitFor } = collector()
  let isInterrupted = false
  const slow = (job: Job, signal: AbortSignal) =>
    handler(job).then(async () => {
      await pause(3_600_000, undefined, { signal }).catch(() => {})
      isInterrupted = signal.aborted
    })
  await transact(database.db, (tx) => queueJob(tx, 'slow', { part: 1 }))
  await transact(database.db, (tx) => queueJob(tx, 'slow', { part: 2 }))
  await start({ queued: { slow } })
  await waitFor(1)
  await running.pop()?.stop()
  assert.ok(isInterrupted)
  assert.equal(given.length, 1)
  const { rows } = await sql`select data, state from pgboss.job order by data->>'part'`.execute(database.db)
  assert.deepEqual(rows, [
    { data: { part: 1 }, state: 'retry' },
    { data: { part: 2 }, state: 'retry' },
  ])
})

test('a queue of an earlier version is given the sign of life that its jobs owe', async () => {
  await transact(database.db, (tx) => queueJob(tx, 'old', {}, { startAfterSeconds: 3_600 }))
  await sql`update pgboss.queue set heartbeat_seconds = null where name = 'old'`.execute(database.db)
  await start({ queued: { old: async () => {} } })
  const { rows } = await sql`select heartbeat_seconds from pgboss.queue where name = 'old'`.execute(database.db)
  assert.deepEqual(rows, [{ heartbeat_seconds: 15 }])
})
