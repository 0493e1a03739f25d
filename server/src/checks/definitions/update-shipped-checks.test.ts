import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { discardHold, releaseHold } from '../../compliance/targeting/decide-hold.ts'
import { endFixedHolds } from '../../compliance/targeting/end-fixed-holds.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { settleDueDevices } from '../../inventory/devices/settle-due-devices.ts'
import type { CatalogueCheck } from '../catalogue/catalogue-check.ts'
import { updateConfiguration } from '../configuration/update-configuration.ts'
import { updateShippedChecks } from './update-shipped-checks.ts'

const database = testDatabase()
const make = makeIn(database)
type MadeDevice = Awaited<ReturnType<typeof make.device>>
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const never = new AbortController().signal

/** As an upgrade has it whose edition that is. */
const shipped = (edition: number, changed: Partial<CatalogueCheck> = {}): CatalogueCheck => ({
  slug: 'firewall',
  edition,
  name: 'The firewall is on',
  platforms: ['darwin', 'windows', 'linux'],
  description: 'Reads the firewall.',
  topics: ['network'],
  sql: `SELECT 'PASS' AS KOLIDE_CHECK_STATUS FROM time WHERE ${edition} > 0`,
  options: { ports: { kind: 'integer', title: 'Ports', description: 'How many.', min: 1, max: 9, default: 3 } },
  primaryKeyColumn: null,
  issueTitle: 'The firewall is off',
  rationale: 'Because.',
  fixInstructions: 'Turn it on.',
  enabledByDefault: true,
  ...changed,
})

let organizationId: string
let check: MadeCheck
let devices: MadeDevice[]

type Settings = Pick<MadeCheck['configuration'], 'remediation_strategy'> & { block_auth_grace_period_days?: number }

async function begin(configuration: Partial<Settings> & { options?: string } = {}): Promise<void> {
  check = await make.check(organizationId, {
    ...{ slug: 'firewall', name: 'The firewall is on', description: 'Reads the firewall.', edition: 1 },
    configuration,
  })
}

beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  devices = []
})

async function enroll(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const owner = await make.person(organizationId)
    devices.push(await make.device(organizationId, { registered_owner_id: owner.id }))
  }
}

const upgrade = (catalogue: readonly CatalogueCheck[], at: string) =>
  updateShippedChecks(database.db, {
    catalogue,
    context: () => ({ ...contextAt(at), initiator: 'system' }),
    signal: never,
  })

const report = (place: number, rows: 'FAIL' | 'PASS' | 'UNKNOWN', at: string) =>
  make.result({ device: devices[place] ?? assert.fail(), check, rows, at })

const storedCheck = () =>
  database.db.selectFrom('checks').selectAll().where('id', '=', check.id).executeTakeFirstOrThrow()
const configuration = () =>
  database.db.selectFrom('check_configurations').selectAll().where('check_id', '=', check.id).executeTakeFirstOrThrow()
const results = async () =>
  (
    await database.db
      .selectFrom('check_results')
      .select(['status', 'status_before_upgrade'])
      .where('check_id', '=', check.id)
      .orderBy('device_id')
      .execute()
  ).map((row) => `${row.status} before ${row.status_before_upgrade}`)
const states = async () =>
  (await database.db.selectFrom('devices').select('auth_state').orderBy('id').execute()).map((row) => row.auth_state)
const audits = (action: string) =>
  database.db.selectFrom('audit_logs').select(['description', 'actor_type']).where('action', '=', action).execute()
const holds = () => database.db.selectFrom('block_holds').selectAll().orderBy('id').execute()
const openHold = async () =>
  (await holds()).find(({ decision }) => decision === null)?.id ?? assert.fail('no open hold')

const recompute = (now: string) =>
  recomputeCheck(database.db, { organizationId, checkId: check.id }, () => contextAt(now), never)
async function configure(request: CheckConfigurationRequest, now: string): Promise<void> {
  await transact(database.db, (tx) =>
    updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, now)),
  )
  await recompute(now)
}
async function release(now: string): Promise<void> {
  const id = await openHold()
  await transact(database.db, (tx) => releaseHold(tx, id, systemChange(organizationId, now)))
  await recompute(now)
}

test('a check of an older edition becomes that of the release, once, and what an organization set stays', async () => {
  await begin({ options: JSON.stringify({ ports: 5, gone: 1 }), remediation_strategy: 'notify_only' })
  const other = (await make.organization()).id
  const own = await make.check(other, { slug: 'firewall', is_provided: false, type: 'custom' })
  const release = [shipped(2, { name: 'Firewall on', privacyInfo: 'Reads nothing about you.' })]
  await upgrade(release, minute(1))
  const { name, sql_template, option_definitions, edition, privacy_info } = await storedCheck()
  assert.deepEqual([name, edition, privacy_info], ['Firewall on', 2, 'Reads nothing about you.'])
  assert.equal(sql_template, release[0]?.sql)
  assert.deepEqual(option_definitions, release[0]?.options)
  const set = await configuration()
  assert.deepEqual(set.options, { ports: 5 })
  assert.equal(set.remediation_strategy, 'notify_only')
  assert.deepEqual(
    [set.revision, set.query_revision, set.upgraded_query_revision, set.query_upgraded_at],
    ['2', '2', '2', minute(1)],
  )
  const [entry, ...more] = await audits('check.updated')
  assert.equal(more.length, 0)
  assert.equal(entry?.actor_type, 'System')
  assert.match(
    entry?.description ?? '',
    /^Updated the check "The firewall is on" with an upgrade of Muster: name, topics, query, options, /,
  )
  assert.match(entry?.description ?? '', /the options "gone" are unset\.$/)

  await upgrade(release, minute(2))
  await upgrade([shipped(1)], minute(3))
  assert.equal((await storedCheck()).name, 'Firewall on', 'an older release takes nothing back')
  assert.equal((await configuration()).revision, '2')
  assert.equal((await audits('check.updated')).length, 1)
  const kept = await database.db.selectFrom('checks').selectAll().where('id', '=', own.id).executeTakeFirstOrThrow()
  assert.equal(kept.sql_template, own.sql_template, 'a check of their own stays')
})

test('other words alone are no other query', async () => {
  await begin()
  await upgrade([shipped(1)], minute(1))
  await database.db.updateTable('checks').set({ edition: 0 }).execute()
  await upgrade([shipped(1)], minute(1))
  const before = await configuration()
  assert.equal((await storedCheck()).edition, 1, 'an edition that changes nothing is noted')
  const options = { ports: { ...shipped(1).options['ports'], title: 'Open ports' } } as CatalogueCheck['options']
  await upgrade([shipped(2, { sql: shipped(1).sql, options, rationale: 'Because of strangers.' })], minute(2))
  const after = await configuration()
  assert.equal((await storedCheck()).rationale_template, 'Because of strangers.')
  assert.equal(after.query_revision, before.query_revision)
  assert.equal(Number(after.revision), Number(before.revision) + 1)
})

test('results stay until a device answers the new query, and each keeps what it said before', async () => {
  await begin()
  await enroll(4)
  await report(0, 'PASS', minute(1))
  await report(1, 'FAIL', minute(1))
  await report(2, 'UNKNOWN', minute(1))
  await upgrade([shipped(2)], minute(2))
  await transact(database.db, async (tx) => {
    const locked = await lockDevices(
      tx,
      organizationId,
      devices.map(({ id }) => id),
    )
    await reconcileDevices(tx, locked, { targeting: 'all', queries: 'all', deadlines: 'all' }, contextAt(minute(3)))
  })
  assert.deepEqual(await results(), [
    'passing before null',
    'failing before null',
    'unknown before null',
    'pending before null',
  ])
  await report(0, 'FAIL', minute(4))
  await report(1, 'PASS', minute(4))
  await report(2, 'UNKNOWN', minute(4))
  await report(3, 'FAIL', minute(4))
  await report(0, 'PASS', minute(5))
  assert.deepEqual(await results(), [
    'passing before passing',
    'passing before failing',
    'unknown before unknown',
    'failing before null',
  ])
  await configure({ options: { ports: 4 } }, minute(6))
  assert.match((await results())[0] ?? '', /^stale/, 'a change of the organization asks again as ever')
})

for (const strategy of ['block_immediately', 'warn_then_block'] as const) {
  test(`what fails with the first answer to a new query blocks nobody before an administrator has seen it (${strategy})`, async () => {
    await begin({ remediation_strategy: strategy, block_auth_grace_period_days: 3 })
    await enroll(3)
    for (const place of [0, 1, 2]) await report(place, 'PASS', minute(1))
    await upgrade([shipped(2)], minute(2))
    await report(0, 'FAIL', minute(3))
    await report(1, 'FAIL', minute(3))
    assert.deepEqual(await states(), ['good', 'good', 'good'])
    const [hold] = await holds()
    assert.deepEqual([hold?.owner_limit, hold?.upgraded_query_revision, hold?.decision], [null, '2', null])
    const [entry] = await audits('check.blocks_held')
    assert.match(entry?.description ?? '', /an upgrade of Muster changed its query, and devices fail it that did not/)
    // Whatever has their deadlines decided again, and any length of time.
    await recompute(minute(4))
    await configure({ block_auth_grace_period_days: 1 }, minute(5))
    await settleDueDevices(database.db, () => contextAt(plusMs(startOfTests, 30 * dayMs)))
    await endFixedHolds(database.db, () => contextAt(minute(6)))
    assert.deepEqual(await states(), ['good', 'good', 'good'])

    await release(minute(10))
    const { blocks_device_at: blocksAt } = await database.db
      .selectFrom('issues')
      .select('blocks_device_at')
      .orderBy('id')
      .executeTakeFirstOrThrow()
    const isImmediate = strategy === 'block_immediately'
    assert.equal(
      blocksAt,
      isImmediate ? minute(10) : plusMs(minute(10), dayMs),
      'the whole grace begins with the release',
    )
    const now = isImmediate ? 'blocked' : 'will_block'
    assert.deepEqual(await states(), [now, now, 'good'])
    await report(2, 'FAIL', plusMs(minute(10), 2 * dayMs))
    assert.equal((await states())[2], now, 'who has seen it is not asked again')
    assert.equal((await holds()).length, 1)
  })
}

test('only what the release may have caused is held', async () => {
  await begin({ remediation_strategy: 'block_immediately' })
  await enroll(5)
  await report(0, 'FAIL', minute(1))
  await report(1, 'FAIL', minute(1))
  await report(2, 'PASS', minute(1))
  await report(3, 'PASS', minute(1))
  assert.deepEqual((await states()).slice(0, 4), ['blocked', 'blocked', 'good', 'good'])
  await upgrade([shipped(2)], minute(2))
  assert.deepEqual((await states()).slice(0, 2), ['blocked', 'blocked'])
  await report(0, 'FAIL', minute(3))
  await report(1, 'PASS', minute(3))
  await report(2, 'PASS', minute(3))
  await report(2, 'FAIL', minute(4))
  await report(3, 'FAIL', minute(4))
  await report(4, 'FAIL', minute(4))
  assert.deepEqual(await states(), ['blocked', 'good', 'blocked', 'good', 'blocked'])
  await report(3, 'PASS', minute(5))
  await endFixedHolds(database.db, () => contextAt(minute(6)))
  assert.equal((await holds())[0]?.decision, 'ended')
  await report(3, 'FAIL', minute(7))
  assert.equal((await states())[3], 'blocked', 'it has passed the new query')
})

test('discarded first answers never block, and those of later devices are held again', async () => {
  await begin({ remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 2 })
  await enroll(2)
  for (const place of [0, 1]) await report(place, 'PASS', minute(1))
  await upgrade([shipped(2)], minute(2))
  await report(0, 'FAIL', minute(3))
  const id = await openHold()
  await transact(database.db, (tx) => discardHold(tx, id, systemChange(organizationId, minute(4))))
  await recompute(minute(5))
  await settleDueDevices(database.db, () => contextAt(plusMs(startOfTests, 30 * dayMs)))
  assert.deepEqual(await states(), ['good', 'good'])
  await report(1, 'FAIL', minute(6))
  assert.deepEqual(await states(), ['good', 'good'])
  assert.deepEqual(
    (await holds()).map(({ decision }) => decision),
    ['discarded', null],
  )
})

test('too many blocks that no release caused join the hold of an upgrade', async () => {
  await begin({ remediation_strategy: 'block_immediately' })
  await enroll(13)
  await report(0, 'PASS', minute(1))
  await upgrade([shipped(2)], minute(2))
  await report(0, 'FAIL', minute(3))
  for (let place = 1; place <= 10; place += 1) await report(place, 'FAIL', minute(4))
  assert.equal((await states()).filter((state) => state === 'blocked').length, 10)
  await report(11, 'FAIL', minute(5))
  assert.equal((await states())[11], 'good')
  const [hold, ...more] = await holds()
  assert.equal(more.length, 0)
  assert.deepEqual([hold?.owner_limit, hold?.began_at], [10, minute(5)])
  assert.equal((await audits('check.blocks_held')).length, 2)
})

test('what the query before failed wrongly is over where the new one finds nothing known, and only with the first answer', async () => {
  await begin({ remediation_strategy: 'block_immediately' })
  await enroll(3)
  for (const place of [0, 1]) await report(place, 'FAIL', minute(1))
  await upgrade([shipped(2)], minute(2))
  await report(0, 'UNKNOWN', minute(3))
  await make.result({ device: devices[1] ?? assert.fail(), check, rows: 'ERROR', at: minute(3) })
  assert.deepEqual(await states(), ['good', 'blocked', 'good'])
  await report(2, 'FAIL', minute(4))
  await report(2, 'UNKNOWN', minute(5))
  assert.equal((await states())[2], 'blocked', 'no answer is no repair')
})
