import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../test/support/app.ts'
import { transact } from '../base/db/transact.ts'
import { describeReadOnly, describeRefusedWrites, watchFaults, watchWrites } from './write-access.ts'

const app = testApp()

const refuse = async (code: string) => {
  await sql`create or replace function refuse_probe() returns trigger language plpgsql as
    ${sql.lit(`begin raise exception 'refused' using errcode = '${code}'; end`)}`.execute(app.db)
  await sql`create or replace trigger refuse_probe before insert on write_probes execute function refuse_probe()`.execute(
    app.db,
  )
}

const accept = () => sql`drop trigger if exists refuse_probe on write_probes`.execute(app.db)

afterEach(accept)

test('a database that takes writes has nothing to say, and keeps four rows of it', async () => {
  for (let times = 0; times < 3; times += 1) assert.equal(await describeRefusedWrites(app.db), undefined)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from write_probes`.execute(app.db)
  assert.deepEqual(rows, [{ count: 4 }])
})

test('a database that says that it refuses writes is believed', async () => {
  await transact(app.db, async (tx) => {
    await sql`set local transaction_read_only = on`.execute(tx)
    assert.match((await describeReadOnly(tx)) ?? '', /^The database refuses writes/)
  })
})

test('a write that fails says why, and fails health', async () => {
  const reasons = [
    ['58030', /cannot write to its disk/],
    ['53200', /no memory/],
    ['53100', /its disk is full/],
  ] as const
  for (const [code, reason] of reasons) {
    await refuse(code)
    assert.match((await describeRefusedWrites(app.db)) ?? '', reason)
  }
  const { status, body } = await app.ask('GET', '/healthz')
  assert.equal(status, 503)
  assert.equal(body.checks.database.status, 'fail')
  assert.match(body.checks.database.reason, /its disk is full/)
  assert.equal((await app.ask('GET', '/readyz')).status, 503)
})

test('an answer holds for five seconds, and the next one is of a new write', async () => {
  let nowMs = 0
  const ask = watchWrites(app.db, () => nowMs)
  assert.equal(await ask(), undefined)
  await refuse('53100')
  nowMs = 4_999
  assert.equal(await ask(), undefined)
  nowMs = 5_000
  assert.match((await ask()) ?? '', /its disk is full/)
  await accept()
  nowMs = 10_000
  assert.equal(await ask(), undefined)
})

test('another failure of the write is not hidden', async () => {
  await refuse('P0001')
  await assert.rejects(describeRefusedWrites(app.db), { code: 'P0001' })
})

test('a fault that a look misses by luck stays until none has found it for a minute', async () => {
  let [found, nowMs]: [string | undefined, number] = [undefined, 0]
  const look = watchFaults(
    async () => found,
    () => nowMs,
  )
  const lookAt = (atMs: number, fault?: string) => {
    ;[found, nowMs] = [fault, atMs]
    return look()
  }
  assert.equal(await lookAt(0), undefined)
  assert.equal(await lookAt(1_000, 'mixed'), 'mixed')
  assert.equal(await lookAt(50_000), 'mixed')
  assert.equal(await lookAt(60_000, 'mixed'), 'mixed')
  assert.equal(await lookAt(119_000), 'mixed')
  assert.equal(await lookAt(120_000), undefined)
  assert.equal(await lookAt(120_001), undefined)
})
