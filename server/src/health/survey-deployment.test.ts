import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { testDatabase, testOnPostgres } from '../../test/support/database.ts'
import { makeIn } from '../../test/support/make.ts'
import { transact } from '../base/db/transact.ts'
import { queueStreamSignal } from '../signals/streams/queue-stream-signal.ts'
import { deploymentGauges } from './deployment-gauges.ts'
import { surveyDeployment } from './survey-deployment.ts'

const database = testDatabase()
const make = makeIn(database)
beforeEach(() => database.reset())

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** A new device is settled, and has nothing to be blocked for. */
async function addBlocked(organizationId: string): Promise<void> {
  const { id } = await make.device(organizationId)
  await database.db.updateTable('devices').set({ auth_state: 'blocked' }).where('id', '=', id).execute()
}

test('devices, issues and backlogs of all organizations are counted, and what is off or deleted is not', async () => {
  for (const name of ['Acme', 'Globex']) {
    const { id: organizationId } = await make.organization({ name })
    await addBlocked(organizationId)
    await make.device(organizationId, { auth_state: 'good' })
    await make.device(organizationId, { auth_state: 'good', deleted_at: minutesAgo(1) })
    const push = await make.stream(organizationId, { endpoint_url: 'https://receiver.example.test/events' })
    const paused = await make.stream(organizationId, { status: 'paused' })
    for (const { id: streamId } of [push, paused]) {
      const signal = {
        organizationId,
        streamId,
        kind: 'verification',
        event: {},
        txn: 't',
        now: minutesAgo(10),
      } as const
      await transact(database.db, (tx) => queueStreamSignal(tx, signal))
    }
  }
  const { devices, openIssues, streams, webhooks } = await surveyDeployment(database.db)
  assert.deepEqual(devices, { good: 2, notified: 0, will_block: 0, blocked: 2 })
  assert.equal(openIssues, 0)
  assert.deepEqual([streams['push']?.receivers, streams['push']?.pending], [2, 2])
  const age = streams['push']?.oldestSeconds ?? 0
  assert.ok(age >= 600 && age < 3_600, `the oldest has waited ten minutes: ${age} s`)
  assert.deepEqual(streams['poll'], { receivers: 0, failing: 0, pending: 0, oldestSeconds: 0 })
  assert.deepEqual(webhooks, { receivers: 0, failing: 0, pending: 0, oldestSeconds: 0 })
})

test('scrapes within 15 seconds share one survey', async () => {
  let nowMs = 0
  const registry = new Registry()
  for (const gauge of deploymentGauges(database.connection, () => nowMs)) registry.registerMetric(gauge)
  const blocked = async () => /^muster_devices\{state="blocked"\} (\d+)$/m.exec(await registry.metrics())?.[1]
  assert.equal(await blocked(), '0')
  const { id } = await make.organization()
  await addBlocked(id)
  nowMs = 14_999
  assert.equal(await blocked(), '0')
  nowMs = 15_000
  assert.equal(await blocked(), '1')
  const text = await registry.metrics()
  for (const name of ['open_issues', 'receivers', 'pending_events', 'jobs', 'workers']) {
    assert.match(text, new RegExp(`^muster_${name}[ {]`, 'm'))
  }
})

testOnPostgres('a scrape counts the connections that others use, and none of its own statements', async () => {
  const registry = new Registry()
  for (const gauge of deploymentGauges(database.connection)) registry.registerMetric(gauge)
  const counted = async () => {
    const text = await registry.metrics()
    const of = (state: string) =>
      new RegExp(`^muster_database_connections\\{state="${state}"\\} (\\d+)$`, 'm').exec(text)?.[1]
    return [of('used'), of('waiting')]
  }
  for (let scrape = 0; scrape < 3; scrape += 1) assert.deepEqual(await counted(), ['0', '0'])
  const slow = sql`select pg_sleep(2)`.execute(database.db)
  await setImmediate()
  assert.deepEqual(await counted(), ['1', '0'])
  await slow
})
