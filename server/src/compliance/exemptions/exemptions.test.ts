import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { deleteDevice } from '../../administration/registrations/delete-device.ts'
import { restoreDevice } from '../../administration/registrations/restore-device.ts'
import { type Actor, newChange, systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { endExemptionOfIssues, exemptIssues } from '../issues/exempt-issues.ts'
import { endExemption } from './end-exemption.ts'
import { endExpiredExemptions } from './end-expired-exemptions.ts'
import { exemptCheck } from './exempt-check.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const administrator: Actor = {
  type: 'User',
  id: '1',
  name: 'Grace Hopper',
  email: 'grace@acme.example',
  source: null,
}
const user = (name: string, status: 'PASS' | 'FAIL') => ({ user: name, KOLIDE_CHECK_STATUS: status })

let organizationId: string
let device: Awaited<ReturnType<typeof make.device>>
let check: MadeCheck
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  const owner = await make.person(organizationId)
  device = await make.device(organizationId, { name: 'Mac', registered_owner_id: owner.id })
  const options = { level: { kind: 'integer', title: 'Level', description: 'A number.', default: 0, min: 0, max: 9 } }
  check = await make.check(organizationId, {
    name: 'Keys',
    primary_key_column: 'user',
    option_definitions: JSON.stringify(options),
    configuration: { remediation_strategy: 'block_immediately' },
  })
})

const about = () => ({ deviceId: device.id, checkId: check.id })
const by = (now: string) => newChange(administrator, organizationId, now)
const exempt = (expiresAt: string | null, now: string, reason = 'A build server.') =>
  transact(database.db, (tx) => exemptCheck(tx, { ...about(), reason, expiresAt }, by(now)))
const end = (now: string) => transact(database.db, (tx) => endExemption(tx, about(), by(now)))
const expire = (now: string) => endExpiredExemptions(database.db, () => contextAt(now))
const report = (rows: ReturnType<typeof user>[], at: string) => make.result({ device, check, rows, at })

const resultNow = async () => {
  const row = await database.db.selectFrom('check_results').selectAll().executeTakeFirstOrThrow()
  const { status, in_scope_status, exempted_at, exemption_reason, exemption_expires_at } = row
  return { status, in_scope_status, exempted_at, exemption_reason, exemption_expires_at }
}
const inScope = (status: string) => ({
  status,
  in_scope_status: null,
  exempted_at: null,
  exemption_reason: null,
  exemption_expires_at: null,
})
const issues = async () =>
  (await database.db.selectFrom('issues').selectAll().orderBy('id').execute()).map(
    (row) => `${row.issue_value}${row.exempted ? ' exempted' : ''}${row.resolved_at === null ? '' : ' resolved'}`,
  )
const stateNow = async () =>
  (await database.db.selectFrom('devices').select('auth_state').executeTakeFirstOrThrow()).auth_state
const tally = async () => {
  const rows = await database.db.selectFrom('check_tallies').select(['counted', 'passing']).execute()
  return [rows.reduce((sum, row) => sum + row.counted, 0), rows.reduce((sum, row) => sum + row.passing, 0)]
}
const sentences = async () =>
  (await database.db.selectFrom('audit_logs').select(['actor_type', 'description']).orderBy('id').execute()).map(
    (row) => `${row.actor_type}: ${row.description}`,
  )
const compliance = async () =>
  (await database.db.selectFrom('events').select('data').orderBy('id').execute()).flatMap(({ data }) =>
    data['compliance'] ? [(data['compliance'] as { current: string }).current] : [],
  )

test('an exempted check counts no more, and its open issues stay open and block nobody', async () => {
  await report([user('ada', 'FAIL')], minute(1))
  assert.deepEqual([await stateNow(), await tally()], ['blocked', [1, 0]])
  await exempt(minute(60), minute(2))
  assert.deepEqual(await resultNow(), {
    status: 'out_of_scope',
    in_scope_status: 'failing',
    exempted_at: minute(2),
    exemption_reason: 'A build server.',
    exemption_expires_at: minute(60),
  })
  assert.deepEqual([await stateNow(), await tally(), await issues()], ['good', [0, 0], ['ada exempted']])
  assert.deepEqual(await compliance(), ['not-compliant', 'compliant'])
  assert.deepEqual(await sentences(), [
    `User: Exempted the device "Mac" from the check "Keys" until ${minute(60)}: "A build server.".`,
  ])
})

test('a repeat writes nothing; another reason or end replaces the one there', async () => {
  await exempt(null, minute(1))
  const before = await rowVersions(database.db)
  await exempt(null, minute(2))
  assert.deepEqual(await rowVersions(database.db), before)
  await exempt(minute(60), minute(3))
  assert.deepEqual(await resultNow(), {
    status: 'out_of_scope',
    in_scope_status: 'pending',
    exempted_at: minute(1),
    exemption_reason: 'A build server.',
    exemption_expires_at: minute(60),
  })
  assert.deepEqual(await sentences(), [
    'User: Exempted the device "Mac" from the check "Keys" with no end: "A build server.".',
    `User: Changed the exemption of the device "Mac" from the check "Keys" to one until ${minute(60)}: "A build server.".`,
  ])
})

test('while exempted a run resolves issues and opens none; what fails at the end is opened then', async () => {
  await report([user('ada', 'FAIL'), user('bob', 'FAIL')], minute(1))
  await exempt(null, minute(2))
  await report([user('ada', 'PASS'), user('bob', 'FAIL'), user('eve', 'FAIL')], minute(3))
  assert.deepEqual(await issues(), ['ada exempted resolved', 'bob exempted'])
  assert.equal(await stateNow(), 'good')
  await end(minute(4))
  assert.deepEqual(await resultNow(), inScope('failing'))
  assert.deepEqual(await issues(), ['ada exempted resolved', 'bob', 'eve'])
  assert.deepEqual([await stateNow(), await tally()], ['blocked', [1, 0]])
  const opened = await database.db.selectFrom('events').selectAll().where('type', '=', 'issues.new').execute()
  assert.equal(opened.length, 3)
})

test('ending an exemption that is not there writes nothing', async () => {
  await report([user('ada', 'PASS')], minute(1))
  const before = await rowVersions(database.db)
  await end(minute(2))
  assert.deepEqual(await rowVersions(database.db), before)
  assert.equal((await resultNow()).status, 'passing')
})

const endings: [string, string, () => Promise<unknown>][] = [
  ['has never run', 'pending', async () => {}],
  ['passes', 'passing', () => report([user('ada', 'PASS')], minute(2))],
  ['could not be read', 'errored', () => report([], minute(2))],
  [
    'was asked another question meanwhile',
    'stale',
    async () => {
      await report([user('ada', 'FAIL')], minute(2))
      const request = { options: { level: 3 } }
      const update = { checkId: check.id, request }
      await transact(database.db, (tx) => updateConfiguration(tx, update, systemChange(organizationId, minute(3))))
    },
  ],
]

for (const [what, status, happen] of endings) {
  test(`when its exemption ends, a check that ${what} is ${status}`, async () => {
    await exempt(null, minute(1))
    await happen()
    assert.equal((await resultNow()).status, 'out_of_scope')
    await end(minute(4))
    assert.deepEqual(await resultNow(), inScope(status))
    assert.deepEqual([await issues(), await tally()], [[], [1, status === 'passing' ? 1 : 0]])
  })
}

test('an issue that was exempted on request stays exempted when the check counts again', async () => {
  await report([user('ada', 'FAIL'), user('bob', 'FAIL')], minute(1))
  const [first] = await database.db.selectFrom('issues').select('id').orderBy('id').execute()
  await transact(database.db, (tx) => exemptIssues(tx, organizationId, [first?.id ?? '']))
  await exempt(null, minute(2))
  assert.deepEqual(await issues(), ['ada exempted', 'bob exempted'])
  await end(minute(3))
  assert.deepEqual(await issues(), ['ada exempted', 'bob'])
})

test('an issue whose own exemption is taken back stays exempted with its check', async () => {
  await report([user('ada', 'FAIL')], minute(1))
  const { id } = await database.db.selectFrom('issues').select('id').executeTakeFirstOrThrow()
  await exempt(null, minute(2))
  await transact(database.db, (tx) => exemptIssues(tx, organizationId, [id]))
  assert.equal(await transact(database.db, (tx) => endExemptionOfIssues(tx, organizationId, [id])), 1)
  assert.deepEqual(await issues(), ['ada exempted'])
  await end(minute(3))
  assert.deepEqual(await issues(), ['ada'])
})

test('an exemption ends on time, announced and audited as the system’s', async () => {
  await report([user('ada', 'FAIL')], minute(1))
  await exempt(minute(60), minute(2))
  assert.equal(await expire(plusMs(minute(60), -1)), 0)
  assert.equal(await expire(minute(60)), 1)
  assert.deepEqual([await resultNow(), await stateNow()], [inScope('failing'), 'blocked'])
  assert.deepEqual(await compliance(), ['not-compliant', 'compliant', 'not-compliant'])
  assert.equal(
    (await sentences()).at(-1),
    'System: Ended the exemption of the device "Mac" from the check "Keys": its time was up.',
  )
  const before = await rowVersions(database.db)
  assert.equal(await expire(minute(61)), 0)
  assert.deepEqual(await rowVersions(database.db), before)
})

test('several exemptions of a device that end together make one change of its state', async () => {
  const other = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  await report([user('ada', 'FAIL')], minute(1))
  await make.result({ device, check: other, rows: 'FAIL', at: minute(1) })
  await exempt(minute(60), minute(2))
  const another = { ...about(), checkId: other.id, reason: 'Too.', expiresAt: minute(59) }
  await transact(database.db, (tx) => exemptCheck(tx, another, by(minute(2))))
  assert.equal(await stateNow(), 'good')
  assert.equal(await expire(minute(61)), 2)
  assert.deepEqual([await stateNow(), await compliance()], ['blocked', ['not-compliant', 'compliant', 'not-compliant']])
})

test('the exemption of a deleted device ends when it is restored', async () => {
  await exempt(minute(60), minute(2))
  const deletion = { deviceId: device.id }
  await transact(database.db, (tx) => deleteDevice(tx, deletion, systemChange(organizationId, minute(3))))
  assert.equal(await expire(minute(61)), 0)
  await transact(database.db, (tx) => restoreDevice(tx, deletion, systemChange(organizationId, minute(62))))
  assert.equal(await expire(minute(62)), 1)
})

testOnPostgres('processes that end exemptions at once end each one once', async () => {
  for (let made = 0; made < 20; made += 1) await make.device(organizationId)
  await database.db
    .updateTable('check_results')
    .set({ status: 'out_of_scope', in_scope_status: 'pending', exempted_at: startOfTests })
    .set({ exemption_reason: 'Because.', exemption_expires_at: minute(1) })
    .execute()
  await database.db.deleteFrom('check_tallies').execute()
  const ended = await Promise.all([1, 2, 3, 4].map(() => expire(minute(2))))
  assert.equal(
    ended.reduce((sum, count) => sum + count, 0),
    21,
  )
  assert.deepEqual(await tally(), [21, 0])
  assert.equal((await sentences()).length, 21)
})

test('an exemption is refused where the check does not run, in the past, and without a reason', async () => {
  const refusal = (code: string, field?: string) => (error: unknown) =>
    error instanceof ServiceError && error.code === code && error.errors?.[0]?.field === field
  await assert.rejects(exempt(minute(1), minute(1)), refusal('invalid', 'expires_at'))
  await assert.rejects(exempt(null, minute(1), ' \0 '.replace('\0', '')), refusal('invalid', 'reason'))
  await assert.rejects(exempt(null, minute(1), 'x'.repeat(5_001)), refusal('invalid', 'reason'))
  const elsewhere = (changed: { deviceId?: string; checkId?: string }, context = by(minute(1))) =>
    transact(database.db, (tx) => exemptCheck(tx, { ...about(), reason: 'No.', expiresAt: null, ...changed }, context))
  await assert.rejects(elsewhere({ deviceId: '900000000000000001' }), refusal('not_found'))
  await assert.rejects(elsewhere({ checkId: '900000000000000001' }), refusal('not_found'))
  await assert.rejects(
    elsewhere({}, newChange(administrator, (await make.organization()).id, minute(1))),
    refusal('not_found'),
  )
  assert.deepEqual(await sentences(), [])
})

test('an exemption that ends by itself blocks the device with the cause of its entry', async () => {
  await exempt(minute(5), minute(1))
  await report([user('ada', 'FAIL')], minute(2))
  assert.equal(await stateNow(), 'good')
  await expire(minute(6))
  assert.equal(await stateNow(), 'blocked')
  const entries = database.db.selectFrom('audit_logs').select(['action', 'cause']).orderBy('id', 'desc')
  const entry = await entries.executeTakeFirstOrThrow()
  const event = await database.db
    .selectFrom('events')
    .select(['type', 'cause'])
    .orderBy('id', 'desc')
    .executeTakeFirst()
  assert.equal(entry.action, 'exemption.ended')
  assert.deepEqual(event, { type: 'device_trust.status_changed', cause: entry.cause })
})
