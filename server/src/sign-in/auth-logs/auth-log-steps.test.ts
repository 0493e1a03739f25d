import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { authLogEventTypes } from '@muster/contract/auth-logs.ts'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { signInSteps } from '../../../test/support/sign-in-steps.ts'
import { plusMs } from '../../base/time.ts'
import { signInCounter } from './announce-ends.ts'
import { expireAuthLogs } from './expire-auth-logs.ts'
import { maxEvents, maxIssues } from './rules.ts'

const app = testApp()
const make = makeIn(app)
const { start, record, recognize, show, finish } = signInSteps(app)
const begun = startOfTests
const life = 30 * 60_000
const last = plusMs(begun, life - 1)
const over = plusMs(begun, life)

beforeEach(() => app.reset())

const read = async (id: string) => (await app.ask('GET', `/auth_logs/${id}`)).body
const expire = (now: string, limit?: number) => expireAuthLogs(app.db, () => contextAt(now), limit)
const news = () =>
  app.db
    .selectFrom('events')
    .select(['type', 'device_id', 'data', 'occurred_at'])
    .where('type', 'like', 'auth_logs.%')
    .orderBy('id')
    .execute()

async function adaWithDevice(columns: Parameters<typeof make.device>[1] = {}) {
  const ada = await make.person(app.tenant.organizationId, { name: 'Ada' })
  const device = await make.device(app.tenant.organizationId, { name: 'Atlas', agent_version: '5.19.0', ...columns })
  return { personId: ada.id, deviceId: device.id, device }
}

test('a log begins as a failure, with the state of its device', async () => {
  const states = { good: 'all_good', notified: 'all_good', will_block: 'will_block', blocked: 'blocked' } as const
  for (const [state, shown] of Object.entries(states)) {
    const { device } = await adaWithDevice()
    await app.db
      .updateTable('devices')
      .set({ auth_state: state as keyof typeof states, will_block_at: state === 'will_block' ? over : null })
      .where('id', '=', device.id)
      .execute()
    const body = await read(await start({ deviceId: device.id, now: begun }))
    assert.deepEqual([body.initial_status, body.result], [shown, 'Fail'], state)
  }
})

test('success is told once, with what a webhook needs, and noted on person and device', async () => {
  const { personId, deviceId } = await adaWithDevice()
  const id = await start({ personId, deviceId, now: begun })
  assert.equal(await finish(id, last), true)
  assert.equal((await read(id)).result, 'Success')
  assert.deepEqual(await news(), [
    {
      type: 'auth_logs.success',
      device_id: deviceId,
      data: {
        authLogId: id,
        deviceName: 'Atlas',
        agentVersion: '5.19.0',
        personId,
        browserName: 'Firefox',
        browserVersion: '145.0',
      },
      occurred_at: last,
    },
  ])
  assert.equal((await app.ask('GET', `/people/${personId}`)).body.last_authenticated_at, last)
  assert.equal((await app.ask('GET', `/devices/${deviceId}`)).body.last_authenticated_at, last)
  const versions = await rowVersions(app.db)
  assert.equal(await finish(id, last), false)
  assert.equal(await record(id, 'device_rechecked', 'Too late.', last), false)
  assert.equal(await recognize(id, deviceId, last), false)
  assert.equal(await show(id, [], last), false)
  assert.equal(await expire(plusMs(over, life)), 0)
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('a sign-in is counted once, when its end is committed', async () => {
  const counted = async () => {
    const { values } = await signInCounter.get()
    const of = (reason: string) => values.find(({ labels }) => labels.reason === reason)?.value ?? 0
    return [of(''), of('abandoned')] as const
  }
  const [successes, failures] = await counted()
  const id = await start({ now: begun })
  await finish(id, last)
  await finish(id, last)
  await start({ now: begun })
  await expire(over)
  await expire(over)
  assert.deepEqual(await counted(), [successes + 1, failures + 1])
})

test('an earlier sign-in that ends later does not take back when someone was last there', async () => {
  const { personId, deviceId } = await adaWithDevice({ last_authenticated_at: last })
  const id = await start({ personId, deviceId, now: begun })
  assert.equal(await finish(id, begun), true)
  assert.equal((await app.ask('GET', `/devices/${deviceId}`)).body.last_authenticated_at, last)
})

test('a log that is left alone for half an hour has failed, which is told once and to the millisecond', async () => {
  const { personId, deviceId } = await adaWithDevice()
  const id = await start({ personId, now: begun })
  await recognize(id, deviceId, begun)
  const versions = await rowVersions(app.db)
  assert.equal(await expire(last), 0)
  assert.deepEqual(await rowVersions(app.db), versions)
  assert.equal(await expire(over), 1)
  assert.equal(await expire(over), 0)
  const told = await news()
  assert.deepEqual(told, [
    {
      type: 'auth_logs.failure',
      device_id: deviceId,
      data: {
        authLogId: id,
        deviceName: 'Atlas',
        agentVersion: '5.19.0',
        personId,
        browserName: 'Firefox',
        browserVersion: '145.0',
      },
      occurred_at: over,
    },
  ])
  assert.equal((await read(id)).result, 'Fail')
  assert.equal(await finish(id, over), false)
})

test('every step gives a log another half hour', async () => {
  const { deviceId } = await adaWithDevice()
  const id = await start({ now: begun })
  let now = begun
  const steps = [
    () => record(id, 'sign_in_attempt', 'Began.', now),
    () => recognize(id, deviceId, now),
    () => show(id, [], now),
  ]
  for (const step of steps) {
    now = plusMs(now, life - 1)
    assert.equal(await step(), true)
    assert.equal(await expire(plusMs(now, life - 1)), 0)
  }
  // A step that was under way for long does not shorten the log.
  assert.equal(await record(id, 'device_rechecked', 'Slow.', begun), true)
  assert.equal(await expire(plusMs(now, life - 1)), 0)
  assert.equal(await expire(plusMs(now, life)), 1)
})

test('a log is over at its moment, also before the sweep comes by', async () => {
  const id = await start({ now: begun })
  assert.equal(await record(id, 'sign_in_attempt', 'Late.', over), false)
  assert.equal(await finish(id, over), false)
  assert.deepEqual(await news(), [])
  assert.equal(await expire(over), 1)
  assert.deepEqual([(await read(id)).result, (await read(id)).events], ['Fail', []])
})

test('a failure without person and device is told as well, and batches leave nothing out', async () => {
  for (let made = 0; made < 5; made += 1) await start({ now: plusMs(begun, -made) })
  assert.equal(await expire(over, 2), 5)
  const told = await news()
  assert.deepEqual(
    told.map(({ type, device_id, data }) => [type, device_id, data['personId'], data['deviceName']]),
    Array.from({ length: 5 }, () => ['auth_logs.failure', null, null, null]),
  )
})

test('every type of event can be recorded but success, and no other', async () => {
  const id = await start({ now: begun })
  const types = authLogEventTypes.filter((type) => type !== 'sign_in_success')
  for (const type of types) assert.equal(await record(id, type, `It was ${type}.`, begun), true)
  assert.deepEqual(
    (await read(id)).events.map((event: { event_type: string }) => event.event_type),
    types,
  )
  // @ts-expect-error: an unknown type is refused where it is written, and at the latest by the database.
  await assert.rejects(record(id, 'sign_in_maybe', 'What?', begun), { constraint: 'auth_log_events_type_check' })
  assert.equal((await read(id)).events.length, types.length)
})

test('the device of a log is the one it was first seen on', async () => {
  const first = await adaWithDevice()
  const second = await adaWithDevice()
  const id = await start({ now: begun })
  assert.equal(await recognize(id, first.deviceId, begun), true)
  assert.equal(await recognize(id, second.deviceId, begun), false)
  assert.equal((await read(id)).device_info.identifier, first.deviceId)
})

test('an issue is shown once with its latest status, and only if it is of the device and blocks', async () => {
  const { organizationId } = app.tenant
  const { deviceId, device } = await adaWithDevice({ registered_owner_id: (await make.person(organizationId)).id })
  const warn = { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 1 } as const
  const checks = []
  for (let made = 0; made < 4; made += 1) checks.push(await make.check(organizationId, { configuration: warn }))
  checks.push(await make.check(organizationId, { configuration: { remediation_strategy: 'notify_only' } }))
  const issues = []
  for (const check of checks) issues.push(await make.issue({ device, check }))
  await app.db
    .updateTable('check_configurations')
    .set({ paused_at: begun })
    .where('check_id', '=', checks[3]?.id ?? '')
    .execute()
  const [blocks, resolved, exempted] = issues
  await app.db
    .updateTable('issues')
    .set({ resolved_at: begun })
    .where('id', '=', resolved?.id ?? '')
    .execute()
  await app.db
    .updateTable('issues')
    .set({ exempted: true })
    .where('id', '=', exempted?.id ?? '')
    .execute()
  const elsewhere = await make.issue({ device: (await adaWithDevice()).device, check: checks[0] ?? assert.fail() })
  const ids = [...issues, elsewhere].map((issue) => issue.id)
  const due = plusMs(begun, 86_400_000)
  const id = await start({ deviceId, now: plusMs(due, -1) })
  assert.equal(await show(id, ids, plusMs(due, -1)), true)
  const shown = { title: blocks?.title, id: blocks?.id, link: `https://muster.test/issues/${blocks?.id}` }
  assert.deepEqual((await read(id)).issues_displayed, [{ ...shown, blocking_status: 'will_block' }])
  await show(id, ids, due)
  assert.deepEqual((await read(id)).issues_displayed, [{ ...shown, blocking_status: 'blocked' }])
})

test('a log without a device shows no issues', async () => {
  const { organizationId } = app.tenant
  const { device } = await adaWithDevice()
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  const issue = await make.issue({ device, check })
  const id = await start({ now: begun })
  assert.equal(await show(id, [issue.id], begun), true)
  assert.deepEqual((await read(id)).issues_displayed, [])
})

test('what a log holds is bounded, and it still ends', async () => {
  const { organizationId } = app.tenant
  const { device, deviceId } = await adaWithDevice({ registered_owner_id: (await make.person(organizationId)).id })
  const check = await make.check(organizationId, {
    primary_key_column: 'path',
    configuration: { remediation_strategy: 'block_immediately' },
  })
  const rows = Array.from({ length: maxIssues + 5 }, (_, index) => ({
    KOLIDE_CHECK_STATUS: 'FAIL',
    path: `/${index}`,
  }))
  await make.result({ device, check, rows })
  const issues = (await app.db.selectFrom('issues').select('id').orderBy('id').execute()).map((issue) => issue.id)
  const id = await start({ deviceId, now: begun })
  await show(id, issues.slice(0, 60), begun)
  await show(id, issues, begun)
  await show(id, issues, begun)
  let recorded = 0
  while (await record(id, 'device_rechecked', 'Looked again.', begun)) recorded += 1
  assert.equal(recorded, maxEvents - 1)
  // What is not kept does not keep a log open either.
  assert.equal(await record(id, 'device_rechecked', 'Looked again.', last), false)
  assert.equal(await finish(id, last), true)
  const body = await read(id)
  assert.deepEqual(
    body.issues_displayed.map((issue: { id: string }) => issue.id),
    issues.slice(0, maxIssues),
  )
  assert.deepEqual([body.events.length, body.events.at(-1).event_type], [maxEvents, 'sign_in_success'])
})

test('hostile text of browsers and devices is kept as far as it can be, and never breaks a sign-in', async () => {
  const { personId, deviceId } = await adaWithDevice({ name: 'x'.repeat(100_000), agent_version: 'v'.repeat(9_000) })
  const nasty = `\0'"<script>\ud800${'😀'.repeat(5_000)}`
  const id = await start({
    personId,
    deviceId,
    ipAddress: nasty,
    country: nasty,
    city: nasty,
    browser: { name: nasty, version: nasty, userAgent: nasty },
    application: { id: nasty, name: nasty },
    now: begun,
  })
  assert.equal(await record(id, 'sign_in_attempt', nasty, begun), true)
  assert.equal(await finish(id, begun), true)
  const body = await read(id)
  assert.equal(body.city.slice(0, 12), `\ufffd'"<script>\ufffd`)
  assert.deepEqual(
    [body.city, body.country, body.ip_address, body.browser_user_agent, body.events[0].event_description].map(
      (text: string) => [text.length, text.isWellFormed()],
    ),
    [
      [200, true],
      [200, true],
      [64, true],
      [1_000, true],
      [300, true],
    ],
  )
  assert.deepEqual([body.agent_version.length, body.events[1].event_type], [200, 'sign_in_success'])
})

testOnPostgres('steps of one log at the same time are kept in one order, each once', async () => {
  const id = await start({ now: begun })
  await Promise.all(Array.from({ length: 20 }, (_, step) => record(id, 'device_rechecked', `Step ${step}.`, begun)))
  const { rows } = await sql<{ position: number }>`
    select position from auth_log_events where auth_log_id = ${id}::bigint order by position`.execute(app.db)
  assert.deepEqual(
    rows.map(({ position }) => position),
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
})
