import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import { describeSilence, readBackgroundStatus, startHeartbeat } from './worker-heartbeats.ts'

const database = testDatabase()
beforeEach(() => database.reset())

const status = () => readBackgroundStatus(database.db)
const ageBy = (seconds: number) =>
  database.connection.executeScript(`update worker_heartbeats set beat_at = beat_at - interval '${seconds} seconds'`)

test('a deployment without workers says so', async () => {
  assert.deepEqual(await status(), { workers: 0, silentForSeconds: null })
  assert.match(describeSilence(await status()) ?? '', /^No worker is running\. Start `muster worker`/)
})

test('each worker counts until it has been silent for 30 seconds or stops', async () => {
  const first = startHeartbeat(database.db)
  const second = startHeartbeat(database.db)
  await first.beat()
  await second.beat()
  assert.equal((await status()).workers, 2)
  assert.equal(describeSilence(await status()), undefined)
  await second.stop()
  assert.equal((await status()).workers, 1)
  await ageBy(31)
  const silent = await status()
  assert.equal(silent.workers, 0)
  assert.match(describeSilence(silent) ?? '', /^No worker for \d+ s\./)
})

test('a heartbeat is written at most every five seconds', async () => {
  let nowMs = 0
  const heartbeat = startHeartbeat(database.db, () => nowMs)
  await heartbeat.beat()
  await ageBy(3_600)
  nowMs = 4_999
  await heartbeat.beat()
  assert.equal((await status()).workers, 0, 'not written again yet')
  nowMs = 5_000
  await heartbeat.beat()
  assert.equal((await status()).workers, 1)
})

test('rows of processes that died are removed after a day', async () => {
  await startHeartbeat(database.db).beat()
  await ageBy(86_401)
  await startHeartbeat(database.db).beat()
  const rows = await database.db.selectFrom('worker_heartbeats').select('worker_id').execute()
  assert.equal(rows.length, 1)
})
