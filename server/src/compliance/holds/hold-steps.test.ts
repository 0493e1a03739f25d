import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { previewConfiguration } from '../../checks/configuration/preview-configuration.ts'
import { forecast } from '../../checks/configuration/preview-rules.ts'
import { listPreviewedDevices } from '../../checks/configuration/previewed-device-queries.ts'
import { savePreviewedConfiguration } from '../../checks/configuration/save-previewed-configuration.ts'
import { updateShippedChecks } from '../../checks/definitions/update-shipped-checks.ts'
import { settleDueDevices } from '../../inventory/devices/settle-due-devices.ts'
import { holdEarlierBlocks } from '../issues/hold-earlier-blocks.ts'
import { discardHold, releaseHold } from '../targeting/decide-hold.ts'
import { recomputeCheck } from '../targeting/recompute-check.ts'
import { breaker } from './hold-rules.ts'

const database = testDatabase()
const make = makeIn(database)
const never = new AbortController().signal
const deviceCount = 16
/** The last devices are further ones of the first people. */
const ownerCount = 13
/** Of so few people who have a device. */
const limit = breaker.fewest
const hourMs = 3_600_000
const runs = Number(process.env['MUSTER_HISTORIES'] ?? 40)

before(() => database.ready)

const strategies = ['report_only', 'notify_only', 'block_immediately', 'warn_then_block'] as const
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      place: fc.nat(deviceCount - 1),
      isFailing: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('all_fail' as const), from: fc.nat(deviceCount - 1) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('save' as const),
      strategy: fc.constantFrom(...strategies, 'block_immediately' as const),
      grace: fc.nat(2),
      isPaused: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      /** How many of the devices it never blocks. */
      spares: fc.constantFrom(0, 0, 4, 10),
      beginsInMs: fc.constantFrom(null, null, 30 * 60_000, 3 * hourMs),
      isTakenBackFirst: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass_time' as const), minutes: fc.constantFrom(1, 20, 61, 26 * 60) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'release' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'discard' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'upgrade' as const }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function begin() {
  const organizationId = (await make.organization()).id
  const groups = new Map<number, string>()
  for (const size of [4, 10]) groups.set(size, (await make.deviceGroup(organizationId)).id)
  const people: string[] = []
  for (let number = 0; number < ownerCount; number += 1) people.push((await make.person(organizationId)).id)
  const devices: Awaited<ReturnType<typeof make.device>>[] = []
  for (let number = 0; number < deviceCount; number += 1) {
    const groupIds = [...groups].flatMap(([size, id]) => (number < size ? [id] : []))
    devices.push(
      await make.device(organizationId, { registered_owner_id: people[number % ownerCount] ?? null, groupIds }),
    )
  }
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  let now = startOfTests
  const recompute = async () => {
    await recomputeCheck(database.db, { organizationId, checkId: check.id }, () => contextAt(now), never)
  }
  const holds = () =>
    database.db.selectFrom('block_holds').selectAll().where('organization_id', '=', organizationId).execute()
  const open = async () => (await holds()).find(({ decision }) => decision === null)?.id
  /** One that an upgrade alone began holds nothing else. */
  const openOfMany = async () =>
    (await holds()).some(
      ({ decision, owner_limit, upgraded_query_revision: upgraded }) =>
        decision === null && (owner_limit !== null || upgraded === null),
    )

  async function runJobs(): Promise<void> {
    for (const { id } of await holds())
      await holdEarlierBlocks(database.db, { organizationId, holdId: id }, contextAt(now))
  }

  /** Saves what was previewed; what the preview says is what happens. */
  async function save(
    wanted: Extract<Step, { kind: 'save' }>,
    context: ReturnType<typeof systemChange>,
  ): Promise<void> {
    const spared = groups.get(wanted.spares)
    const request = {
      ...{ remediation_strategy: wanted.strategy, block_auth_grace_period_days: wanted.grace, paused: wanted.isPaused },
      blocking_excluded_groups: spared === undefined ? [] : [spared],
    }
    const beginsBlockingOn = wanted.beginsInMs === null ? null : plusMs(now, wanted.beginsInMs)
    const unsaved = { organizationId, checkId: check.id, request, beginsBlockingOn }
    const preview = await previewConfiguration(database.db, unsaved, { now, most: 100 })
    const asked = { organizationId, checkId: check.id, after: '0', limit: 100, isWhole: false, now }
    const foretold = (await listPreviewedDevices(database.db, asked)).map((device) => ({
      ...{ id: device.id, was: device, isFailing: device.own.length > 0 },
      ...forecast(device, preview.plan.rules, true, preview.plan),
    }))
    const heldBefore = await heldDevices()
    await transact(database.db, (tx) => savePreviewedConfiguration(tx, { ...unsaved, token: preview.token }, context))
    assert.equal((await openOfMany()) && preview.sudden > 0, preview.held !== null, 'the hold begins as it is saved')
    if (wanted.isTakenBackFirst) await runJobs()
    await recompute()
    await runJobs()
    const after = new Map((await listDevices()).map((device) => [device.id, device]))
    for (const { id, was, isFailing, afterSaving } of foretold) {
      const { auth_state, will_block_at } = after.get(id) ?? assert.fail()
      // A grace period counts from when the check blocks the device, which is told anew where its block was taken back.
      const expected = isFailing ? afterSaving : was
      assert.equal(auth_state, expected.auth_state, `device ${id}`)
      if (preview.held === null) assert.equal(will_block_at, expected.will_block_at)
    }
    const states = [...after.values()].map(({ auth_state: state }) => state)
    assert.equal(states.filter((state) => state === 'blocked').length, preview.blockedNow)
    if (preview.held === null) return
    foretoldHeld += preview.held.devices
    const isHeld = await heldDevices()
    const newly = [...isHeld].filter((id) => !heldBefore.has(id))
    assert.equal(newly.length, preview.held.devices + preview.held.takenBack)
    const owners = new Set(newly.map((id) => after.get(id)?.registered_owner_id))
    if (preview.held.takenBack === 0) assert.equal(owners.size, preview.held.people)
  }

  const heldDevices = async () => {
    const rows = await database.db
      .selectFrom('issues')
      .innerJoin('block_holds as hold', 'hold.id', 'issues.hold_id')
      .select('issues.device_id')
      .where('issues.organization_id', '=', organizationId)
      .where('issues.resolved_at', 'is', null)
      .where((build) => build.or([build('hold.decision', 'is', null), build('hold.decision', '=', 'discarded')]))
      .execute()
    return new Set(rows.map((row) => row.device_id))
  }

  const listDevices = () =>
    database.db
      .selectFrom('devices')
      .select(['id', 'registered_owner_id', 'auth_state', 'will_block_at', 'signalled_status'])
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute()

  /** Not with the first answer after an upgrade, until a hold of it was released; what failed before still does. */
  async function mayAnswerBlock(deviceId: string): Promise<boolean> {
    const { upgraded_query_revision: upgraded } = await database.db
      .selectFrom('check_configurations')
      .select('upgraded_query_revision')
      .where('check_id', '=', check.id)
      .executeTakeFirstOrThrow()
    const { query_revision: answered } = await database.db
      .selectFrom('check_results')
      .select('query_revision')
      .where('check_id', '=', check.id)
      .where('device_id', '=', deviceId)
      .executeTakeFirstOrThrow()
    if (upgraded === null || answered === null || BigInt(answered) >= BigInt(upgraded)) return true
    const failing = await database.db
      .selectFrom('issues')
      .select('id')
      .where('device_id', '=', deviceId)
      .where('resolved_at', 'is', null)
      .execute()
    return (
      failing.length > 0 ||
      (await holds()).some((hold) => hold.decision === 'released' && hold.upgraded_query_revision === upgraded)
    )
  }

  let edition = 1
  async function upgrade(): Promise<void> {
    edition += 1
    const [shipped] = catalogue
    assert.ok(shipped)
    const sql = `SELECT 'PASS' AS KOLIDE_CHECK_STATUS FROM time WHERE ${edition} > 0`
    const release = [{ ...shipped, slug: check.slug, edition, sql, platforms: ['darwin', 'windows', 'linux'] as const }]
    await updateShippedChecks(database.db, { catalogue: release, context: () => contextAt(now), signal: never })
  }

  async function take(wanted: Step): Promise<void> {
    now = plusMs(now, 1_000)
    const context = systemChange(organizationId, now)
    const report = async (place: number, isFailing: boolean) => {
      const device = devices[place]
      if (!device) return
      const mayBlock = await mayAnswerBlock(device.id)
      const [was] = (await listDevices()).filter(({ id }) => id === device.id)
      await make.result({ device, check, rows: isFailing ? 'FAIL' : 'PASS', at: now })
      if (mayBlock || !isFailing) return
      firstAnswers += 1
      const [is] = (await listDevices()).filter(({ id }) => id === device.id)
      // Where the check may not block the device, its owner is told.
      const told = is?.auth_state === 'notified' ? 'notified' : was?.auth_state
      assert.deepEqual(
        is,
        { ...was, auth_state: told },
        'what fails with the first answer after an upgrade blocks nobody',
      )
    }
    switch (wanted.kind) {
      case 'report':
        return report(wanted.place, wanted.isFailing)
      case 'all_fail':
        for (let place = wanted.from; place < deviceCount; place += 1) await report(place, true)
        return
      case 'save':
        return save(wanted, context)
      case 'pass_time':
        now = plusMs(now, wanted.minutes * 60_000)
        await settleDueDevices(database.db, () => contextAt(now))
        return
      case 'release': {
        const holdId = await open()
        if (holdId !== undefined) await transact(database.db, (tx) => releaseHold(tx, holdId, context))
        return recompute()
      }
      case 'discard': {
        const holdId = await open()
        if (holdId !== undefined) await transact(database.db, (tx) => discardHold(tx, holdId, context))
        return
      }
      case 'upgrade':
        return upgrade()
    }
  }

  return {
    organizationId,
    holds,
    now: () => now,
    take,
    runJobs,
    devices: listDevices,
    issues: () =>
      database.db
        .selectFrom('issues')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('resolved_at', 'is', null)
        .execute(),
  }
}

/** What 40 random histories may lack: a preview that says what will be held, and the hold. */
const usual = { grace: 0, isPaused: false, spares: 0, beginsInMs: null, isTakenBackFirst: false } as const
const foretold: Step[] = [
  { kind: 'save', strategy: 'notify_only', ...usual },
  { kind: 'all_fail', from: 0 },
  { kind: 'save', strategy: 'block_immediately', ...usual },
]

/** Blocks after an upgrade: of first answers, of later ones, and of a change of the grace while they are held. */
const upgraded: Step[] = [
  ...[0, 1, 2].map((place) => ({ kind: 'report', place, isFailing: false }) as const),
  { kind: 'upgrade' },
  { kind: 'report', place: 0, isFailing: true },
  { kind: 'report', place: 1, isFailing: false },
  { kind: 'report', place: 1, isFailing: true },
  { kind: 'save', strategy: 'warn_then_block', ...usual, grace: 2 },
  { kind: 'pass_time', minutes: 26 * 60 },
  { kind: 'all_fail', from: 2 },
  { kind: 'save', strategy: 'block_immediately', ...usual },
  { kind: 'release' },
]

/** Devices whose blocks a preview said are held, of all histories. */
let foretoldHeld = 0
/** First answers after an upgrade that failed and could block nobody. */
let firstAnswers = 0

type Place = Awaited<ReturnType<typeof begin>>
type Device = Awaited<ReturnType<Place['devices']>>[number]

/** Devices that became blocked by a step and whose deadline was not known for an hour. */
const suddenlyBlocked = (
  beforeStep: readonly Device[],
  afterStep: readonly Device[],
  announced: ReadonlyMap<string, string>,
) =>
  afterStep.filter((device, place) => {
    const was = beforeStep[place]
    return device.auth_state === 'blocked' && was?.auth_state !== 'blocked' && !announced.has(device.id)
  })

async function assertHolds(place: Place): Promise<void> {
  const [holds, issues, devices] = [await place.holds(), await place.issues(), await place.devices()]
  assert.ok(holds.filter(({ decision }) => decision === null).length <= 1, 'a check has one open hold at most')
  const decisions = new Map(holds.map(({ id, decision }) => [id, decision]))
  const blocking = new Set(
    issues.flatMap(({ device_id: id, blocks_device_at: at }) => (at !== null && at <= place.now() ? [id] : [])),
  )
  for (const { hold_id: holdId } of issues) {
    if (holdId !== null) assert.notEqual(decisions.get(holdId), 'released', 'what was released is held no more')
  }
  for (const device of devices) {
    if (device.auth_state === 'blocked') assert.ok(blocking.has(device.id), 'a held issue blocks nobody')
    const said = device.auth_state === 'blocked' ? 'not-compliant' : 'compliant'
    assert.equal(device.signalled_status ?? 'compliant', said, 'what was signaled last is how the device stands')
  }
}

test('whatever happens, a preview is kept, and the devices of no more people than the limit are newly blocked within an hour, unless someone has decided', async () => {
  let held = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const place = await begin()
      const blocked = new Map<string, string>()
      let decided = 0
      for (const one of steps) {
        const was = await place.devices()
        const soon = plusMs(place.now(), hourMs)
        const announced = new Map(
          was.flatMap(({ id, will_block_at: at }) =>
            at !== null && (one.kind === 'pass_time' || at <= soon) ? [[id, at] as const] : [],
          ),
        )
        await place.take(one)
        const now = place.now()
        for (const { id } of suddenlyBlocked(was, await place.devices(), announced)) blocked.set(id, now)
        const holds = await place.holds()
        held += holds.length
        const isReleased = holds.some(
          ({ decision, decided_at: at }) => decision === 'released' && (at ?? '') > plusMs(now, -24 * hourMs),
        )
        const owners = new Map((await place.devices()).map((device) => [device.id, device.registered_owner_id]))
        const recent = new Set([...blocked].flatMap(([id, at]) => (at > plusMs(now, -hourMs) ? [owners.get(id)] : [])))
        // A change of the configuration decides as well.
        const decisions = holds.filter(({ decision }) => decision !== null).length
        if (isReleased || decisions > decided) blocked.clear()
        else assert.ok(recent.size <= limit, `the devices of ${recent.size} people were blocked within an hour`)
        decided = decisions
        await place.runJobs()
        await assertHolds(place)
      }
    }),
    { numRuns: runs, examples: [[foretold], [upgraded]] },
  )
  assert.ok(held > 0, 'blocks were held')
  assert.ok(foretoldHeld > 0, 'previews said so')
  assert.ok(firstAnswers > 0, 'devices failed after an upgrade')
})
