import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { recordResults } from '../../../test/support/record-results.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { type CheckRow, statusColumn } from '../standing/rules.ts'
import type { CheckRun } from './record-results.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const day = (count: number) => plusMs(startOfTests, count * 86_400_000)
const user = (name: string, status: string, columns: CheckRow = {}): CheckRow => ({
  [statusColumn]: status,
  user: name,
  ...columns,
})

let organizationId: string
let device: Awaited<ReturnType<typeof make.device>>

beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  const owner = await make.person(organizationId)
  device = await make.device(organizationId, { registered_owner_id: owner.id, name: 'Ada’s Mac' })
})

const blocking = { remediation_strategy: 'block_immediately' } as const
const warning = { remediation_strategy: 'warn_then_block' } as const

const issues = () =>
  database.db
    .selectFrom('issues')
    .select(['check_id', 'issue_key', 'issue_value', 'value', 'detected_at', 'resolved_at', 'last_rechecked_at'])
    .orderBy('id')
    .execute()

const results = () =>
  database.db
    .selectFrom('check_results')
    .select(['status', 'rows', 'error_message', 'query_revision', 'ran_at'])
    .orderBy('check_id')
    .execute()

const events = () =>
  database.db.selectFrom('events').select(['type', 'device_id', 'cause', 'data', 'occurred_at']).orderBy('id').execute()

const state = () =>
  database.db
    .selectFrom('devices')
    .select(['auth_state', 'will_block_at', 'signalled_status'])
    .where('id', '=', device.id)
    .executeTakeFirstOrThrow()

const run = (checkId: string, rows: CheckRow[], at: string, rest: Partial<CheckRun> = {}): CheckRun => ({
  checkId,
  queryRevision: '1',
  ranAt: at,
  outcome: { kind: 'rows', rows },
  ...rest,
})

const record = (runs: CheckRun[], now: string, deviceId = device.id) =>
  recordResults(database.db, { organizationId, deviceId, runs }, { ...contextAt(now), cause: 'check-in' })

test('a failure opens an issue, blocks the device and is announced under one cause', async () => {
  const check = await make.check(organizationId, { configuration: blocking, issue_title: 'Disk is readable' })
  const accepted = await record([run(check.id, [user('ada', 'FAIL')], minute(1))], minute(2))
  assert.deepEqual(
    accepted.map(({ checkId }) => checkId),
    [check.id],
  )
  assert.deepEqual(await results(), [
    { status: 'failing', rows: [user('ada', 'FAIL')], error_message: null, query_revision: '1', ran_at: minute(1) },
  ])
  assert.deepEqual(await issues(), [
    {
      check_id: check.id,
      issue_key: null,
      issue_value: null,
      value: user('ada', 'FAIL'),
      detected_at: minute(2),
      resolved_at: null,
      last_rechecked_at: minute(1),
    },
  ])
  assert.deepEqual(await state(), { auth_state: 'blocked', will_block_at: null, signalled_status: 'not-compliant' })
  const common = { device_id: device.id, cause: 'check-in', occurred_at: minute(2) }
  assert.deepEqual(await events(), [
    { ...common, type: 'issues.new', data: { issueId: '1', checkId: check.id, title: 'Disk is readable' } },
    {
      ...common,
      type: 'device_trust.status_changed',
      data: {
        from: 'good',
        to: 'blocked',
        initiator: 'policy',
        compliance: { previous: 'compliant', current: 'not-compliant' },
      },
    },
  ])
})

testOnPostgres('what changes a result between the look at it and the lock of its device is seen', async () => {
  const check = await make.check(organizationId, { configuration: blocking })
  const [held, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const exemption = transact(database.db, async (tx) => {
    await lockDevices(tx, organizationId, [device.id])
    await tx
      .updateTable('check_results')
      .set({ status: 'out_of_scope', in_scope_status: 'pending', exempted_at: minute(1) })
      .execute()
    isHeld.resolve()
    await held.promise
  })
  await isHeld.promise
  const recorded = record([run(check.id, [user('ada', 'FAIL')], minute(2))], minute(2))
  const isWaiting = async () =>
    (
      await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        database.db,
      )
    ).rows.length > 0
  while (!(await isWaiting())) await pause(5)
  held.resolve()
  await exemption
  assert.equal((await recorded).length, 1)
  assert.deepEqual(
    (await results()).map(({ status, ran_at }) => [status, ran_at]),
    [['out_of_scope', minute(2)]],
  )
  assert.deepEqual(await issues(), [])
  assert.equal((await state()).auth_state, 'good')
})

test('a passing result resolves the issue and gives the device back its state', async () => {
  const check = await make.check(organizationId, { configuration: blocking })
  await make.result({ device, check, rows: 'FAIL', at: minute(1) })
  await make.result({ device, check, rows: 'PASS', at: minute(2) })
  assert.deepEqual(
    (await issues()).map((issue) => issue.resolved_at),
    [minute(2)],
  )
  assert.deepEqual(await state(), { auth_state: 'good', will_block_at: null, signalled_status: 'compliant' })
  assert.deepEqual(
    (await events()).map(({ type, data }) => [type, data['from'], data['to'], data['compliance']]),
    [
      ['issues.new', undefined, undefined, undefined],
      ['device_trust.status_changed', 'good', 'blocked', { previous: 'compliant', current: 'not-compliant' }],
      ['issues.resolved', undefined, undefined, undefined],
      ['device_trust.status_changed', 'blocked', 'good', { previous: 'not-compliant', current: 'compliant' }],
    ],
  )
})

test('a failure that comes back is a new issue with grace of its own', async () => {
  const check = await make.check(organizationId, { configuration: warning })
  for (const [index, rows] of (['FAIL', 'PASS', 'FAIL'] as const).entries()) {
    await make.result({ device, check, rows, at: day(index) })
  }
  assert.deepEqual(
    (await issues()).map((issue) => [issue.detected_at, issue.resolved_at]),
    [
      [day(0), day(1)],
      [day(2), null],
    ],
  )
  assert.deepEqual((await state()).will_block_at, day(9))
})

test('each failing key value is an issue of its own, resolved by its own mending', async () => {
  const check = await make.check(organizationId, { primary_key_column: 'user', configuration: warning })
  const open = async () =>
    (await issues()).filter((issue) => issue.resolved_at === null).map((issue) => [issue.issue_key, issue.issue_value])
  await make.result({ device, check, rows: [user('ada', 'FAIL'), user('bob', 'FAIL')], at: minute(1) })
  assert.deepEqual(await open(), [
    ['user', 'ada'],
    ['user', 'bob'],
  ])
  await make.result({ device, check, rows: [user('bob', 'FAIL'), user('eve', 'FAIL')], at: minute(2) })
  assert.deepEqual(await open(), [
    ['user', 'bob'],
    ['user', 'eve'],
  ])
  await make.result({ device, check, rows: [user('bob', 'UNKNOWN'), user('eve', 'PASS')], at: minute(3) })
  assert.deepEqual(await open(), [['user', 'bob']])
  await make.result({ device, check, rows: [user('ada', 'PASS')], at: minute(4) })
  assert.deepEqual(await open(), [])
  assert.equal((await issues()).length, 3)
})

test('an issue keeps its moment and takes the new row when its failure looks different', async () => {
  const check = await make.check(organizationId, { primary_key_column: 'user', configuration: warning })
  await make.result({ device, check, rows: [user('ada', 'FAIL', { minutes: '30' })], at: minute(1) })
  await make.result({ device, check, rows: [user('ada', 'FAIL', { minutes: '45' })], at: minute(5) })
  assert.deepEqual(await issues(), [
    {
      check_id: check.id,
      issue_key: 'user',
      issue_value: 'ada',
      value: user('ada', 'FAIL', { minutes: '45' }),
      detected_at: minute(1),
      resolved_at: null,
      last_rechecked_at: minute(5),
    },
  ])
  assert.equal((await state()).will_block_at, plusMs(minute(1), 7 * 86_400_000))
})

for (const [what, outcome, status] of [
  ['ERROR row', { kind: 'rows', rows: [user('ada', 'ERROR')] }, 'errored'],
  ['UNKNOWN row', { kind: 'rows', rows: [user('ada', 'UNKNOWN')] }, 'unknown'],
  ['empty answer', { kind: 'rows', rows: [] }, 'errored'],
  ['SQL error', { kind: 'error', message: 'no such column' }, 'errored'],
  ['query not collected', { kind: 'not_collected', message: 'not on this platform' }, 'unknown'],
] as const) {
  test(`the ${what} leaves open issues and the state as they are`, async () => {
    const check = await make.check(organizationId, { configuration: blocking })
    await make.result({ device, check, rows: 'FAIL', at: minute(1) })
    const before = await rowVersions(database.db)
    await record([run(check.id, [], minute(2), { outcome })], minute(2))
    const { issues: issuesAfter, devices, events: eventsAfter } = await rowVersions(database.db)
    assert.deepEqual([issuesAfter, devices, eventsAfter], [before['issues'], before['devices'], before['events']])
    assert.equal((await results())[0]?.status, status)
  })
}

test('a result that says what is stored already is accepted and writes nothing', async () => {
  const check = await make.check(organizationId, { primary_key_column: 'user', configuration: blocking })
  const other = await make.check(organizationId)
  const said = (at: string) => [
    run(check.id, [user('ada', 'FAIL', { path: '/a' }), user('bob', 'PASS')], at),
    run(other.id, [], at, { outcome: { kind: 'error', message: 'no such table' } }),
  ]
  await record(said(minute(1)), minute(1))
  const before = await rowVersions(database.db)
  const again = said(minute(2)).map((one) => ({
    ...one,
    outcome: one.outcome.kind === 'rows' ? { ...one.outcome, rows: one.outcome.rows.toReversed() } : one.outcome,
  }))
  assert.deepEqual(
    (await record(again, minute(2))).map(({ checkId }) => checkId),
    [check.id, other.id],
  )
  assert.deepEqual(await rowVersions(database.db), before)
})

test('of several results only those that say something new are written', async () => {
  const [one, other] = [await make.check(organizationId), await make.check(organizationId)]
  await record([run(one.id, [user('a', 'PASS')], minute(1)), run(other.id, [user('a', 'PASS')], minute(1))], minute(1))
  const accepted = await record(
    [run(one.id, [user('a', 'PASS')], minute(2)), run(other.id, [user('a', 'FAIL')], minute(2))],
    minute(2),
  )
  assert.deepEqual(
    accepted.map(({ checkId }) => checkId),
    [one.id, other.id],
  )
  assert.deepEqual(
    (await results()).map(({ status, ran_at }) => [status, ran_at]),
    [
      ['passing', minute(1)],
      ['failing', minute(2)],
    ],
  )
})

const refused: [string, (checkId: string) => Promise<Partial<CheckRun>>][] = [
  ['is older than the last', async () => ({ ranAt: minute(4) })],
  ['is of the same moment as the last', async () => ({ ranAt: minute(5) })],
  ['answers another revision of the query', async () => ({ queryRevision: '2' })],
  [
    'answers a query that is no longer the one configured',
    async (checkId) => {
      await database.db
        .updateTable('check_configurations')
        .set({ query_revision: '2' })
        .where('check_id', '=', checkId)
        .execute()
      return {}
    },
  ],
  [
    'is of a paused check',
    async (checkId) => {
      await database.db
        .updateTable('check_configurations')
        .set({ paused_at: minute(5) })
        .where('check_id', '=', checkId)
        .execute()
      return {}
    },
  ],
  [
    'is of a check that does not target the device',
    async () => ({
      checkId: (await make.check(organizationId, { platforms: ['linux'] })).id,
    }),
  ],
  [
    'is of a check of another organization',
    async () => {
      const { id } = await make.organization()
      await make.device(id)
      return { checkId: (await make.check(id)).id }
    },
  ],
  [
    'comes after one that changed nothing but was noted',
    async (checkId) => {
      await database.db
        .insertInto('device_check_runs')
        .values({
          organization_id: organizationId,
          device_id: device.id,
          check_ids: ['999', checkId],
          ran_at: [minute(0), minute(9)],
        })
        .execute()
      return { ranAt: minute(9) }
    },
  ],
]

for (const [what, particulars] of refused) {
  test(`a result that ${what} is refused and writes nothing`, async () => {
    const check = await make.check(organizationId, { configuration: blocking })
    await make.result({ device, check, rows: 'PASS', at: minute(5) })
    const late = run(check.id, [user('ada', 'FAIL')], minute(6), await particulars(check.id))
    const before = await rowVersions(database.db)
    assert.deepEqual(await record([late], minute(10)), [])
    assert.deepEqual(await rowVersions(database.db), before)
  })
}

test('a result of a deleted device is refused and writes nothing, even one that says what is stored', async () => {
  const check = await make.check(organizationId, { configuration: blocking })
  const repeated = [user('ada', 'PASS')]
  await record([run(check.id, repeated, minute(0))], minute(0))
  await database.db
    .updateTable('devices')
    .set({ deleted_at: minute(1) })
    .execute()
  const before = await rowVersions(database.db)
  for (const rows of [[user('ada', 'FAIL')], repeated]) {
    assert.deepEqual(await record([run(check.id, rows, minute(2))], minute(2)), [])
  }
  assert.deepEqual(await rowVersions(database.db), before)
})

test('a result under another organization’s name is refused', async () => {
  const check = await make.check(organizationId, { configuration: blocking })
  const { id: stranger } = await make.organization()
  const runs = [run(check.id, [user('ada', 'FAIL')], minute(2))]
  assert.deepEqual(
    await recordResults(database.db, { organizationId: stranger, deviceId: device.id, runs }, contextAt()),
    [],
  )
  assert.deepEqual(await issues(), [])
})

test('a result of another revision is refused even where it says what is stored', async () => {
  const check = await make.check(organizationId)
  await make.result({ device, check, rows: 'PASS', at: minute(1) })
  await database.db.updateTable('check_configurations').set({ query_revision: '2' }).execute()
  assert.deepEqual(await record([run(check.id, [{ [statusColumn]: 'PASS' }], minute(2))], minute(2)), [])
  const fresh = run(check.id, [{ [statusColumn]: 'PASS' }], minute(3), { queryRevision: '2' })
  assert.equal((await record([fresh], minute(3))).length, 1)
  assert.equal((await results())[0]?.query_revision, '2')
})

test('a stale result is renewed by the same answer', async () => {
  const check = await make.check(organizationId)
  await make.result({ device, check, rows: 'PASS', at: minute(1) })
  await database.db.updateTable('check_results').set({ status: 'stale' }).execute()
  await make.result({ device, check, rows: 'PASS', at: minute(2) })
  assert.deepEqual(
    (await results()).map(({ status, ran_at }) => [status, ran_at]),
    [['passing', minute(2)]],
  )
})

test('a check exempted on the device stays out of scope and opens no issue, but keeps what was found', async () => {
  const check = await make.check(organizationId, { configuration: blocking })
  await database.db
    .updateTable('check_results')
    .set({ status: 'out_of_scope', in_scope_status: 'pending', exempted_at: minute(0) })
    .execute()
  await make.result({ device, check, rows: [user('ada', 'FAIL')], at: minute(1) })
  assert.deepEqual(await issues(), [])
  const [result] = await results()
  assert.deepEqual([result?.status, result?.rows], ['out_of_scope', [user('ada', 'FAIL')]])
})

const failsAt: [string, string][] = [
  ['the state of the device cannot be written', 'before update on devices'],
  ['the new issue cannot be announced', `before insert on events for each row when (new.type = 'issues.new')`],
  [
    'the new state cannot be announced',
    `before insert on events for each row when (new.type = 'device_trust.status_changed')`,
  ],
  ['the commit itself fails', 'constraint'],
]

for (const [what, when] of failsAt) {
  test(`when ${what}, nothing of the check-in is there`, async () => {
    const check = await make.check(organizationId, { configuration: blocking })
    const before = await rowVersions(database.db)
    await sql`create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`.execute(
      database.db,
    )
    const trigger =
      when === 'constraint'
        ? 'create constraint trigger refuses after insert on events deferrable initially deferred for each row execute function refuse()'
        : `create trigger refuses ${when} ${when.includes('each row') ? '' : 'for each row'} execute function refuse()`
    await sql.raw(trigger).execute(database.db)
    const table = when.includes('devices') ? 'devices' : 'events'
    try {
      await assert.rejects(record([run(check.id, [user('ada', 'FAIL')], minute(1))], minute(1)), /no/)
    } finally {
      await sql`drop trigger refuses on ${sql.table(table)}`.execute(database.db)
    }
    assert.deepEqual(await rowVersions(database.db), before)
    await record([run(check.id, [user('ada', 'FAIL')], minute(1))], minute(1))
    assert.equal((await state()).auth_state, 'blocked')
  })
}

test('an issue may carry any text that a device can send', async () => {
  const check = await make.check(organizationId, { primary_key_column: 'user' })
  const values = [
    '',
    'a\u0000b',
    '\ud800',
    'x'.repeat(100_000),
    '"\\',
    '名前',
    "'; drop table issues; --",
    '{1,2}',
    'NULL',
  ]
  await make.result({ device, check, rows: values.map((value) => user(value, 'FAIL')), at: minute(1) })
  assert.deepEqual(
    (await issues()).map((issue) => issue.issue_value),
    values.map((value) =>
      value.length > 4_096 ? `${value.slice(0, 4_095)}…` : value.toWellFormed().replaceAll('\u0000', '\ufffd'),
    ),
  )
})
