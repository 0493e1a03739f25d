import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import fc from 'fast-check'
import { testDatabase } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { exemptCheck } from '../../compliance/exemptions/exempt-check.ts'
import { snoozeCheck } from '../../compliance/exemptions/snooze-check.ts'
import { isTargeted } from '../../compliance/standing/targeting-rules.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { settleDueDevices } from '../../inventory/devices/settle-due-devices.ts'
import { previewConfiguration } from './preview-configuration.ts'
import { forecast } from './preview-rules.ts'
import { listPreviewedDevices } from './previewed-device-queries.ts'
import { savePreviewedConfiguration } from './save-previewed-configuration.ts'

const database = testDatabase()
const make = makeIn(database)
const hour = (count: number) => plusMs(startOfTests, count * 3_600_000)
const savedAt = hour(100)
const never = new AbortController().signal

before(() => database.ready)

const often = <Value>(usual: Value, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
const groupList = often<string[]>([], fc.subarray(['one', 'two', 'macos', 'windows'], { minLength: 1, maxLength: 2 }))
const configuration = fc.record(
  {
    remediation_strategy: fc.constantFrom('report_only', 'notify_only', 'warn_then_block', 'block_immediately'),
    block_auth_grace_period_days: fc.integer({ min: 0, max: 7 }),
    paused: often(false, fc.constant(true)),
    snooze_disallowed: fc.boolean(),
    targeted_groups: groupList,
    excluded_groups: groupList,
    blocking_allowed_groups: groupList,
    blocking_excluded_groups: groupList,
  },
  { requiredKeys: ['remediation_strategy'] },
)
const beginning = often<number | null>(null, fc.integer({ min: -50, max: 400 }))

const fleetDevice = fc.record({
  type: fc.constantFrom('Mac', 'Windows', 'Linux'),
  groups: fc.subarray(['one', 'two'] as ('one' | 'two')[]),
  isOwned: often(true, fc.constant(false)),
  isSuspended: often(false, fc.constant(true)),
  found: fc.array(fc.constantFrom('FAIL', 'FAIL', 'FAIL', 'FAIL', 'FAIL', 'PASS', 'UNKNOWN', 'ERROR', undefined), {
    minLength: 2,
    maxLength: 2,
  }),
  foundAt: fc.integer({ min: 1, max: 90 }),
  isExempted: often(false, fc.constant(true)),
  isSnoozed: often(false, fc.constant(true)),
})
type FleetDevice = typeof fleetDevice extends fc.Arbitrary<infer Value> ? Value : never

const world = fc.record({
  devices: fc.array(fleetDevice, { minLength: 3, maxLength: 6 }),
  first: configuration,
  firstBegins: beginning,
  other: configuration,
  saved: configuration,
  savedBegins: beginning,
})
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never

/** Blocks its three devices for certain, whatever the seed draws besides. */
const blockingWorld: World = {
  devices: (['Mac', 'Windows', 'Linux'] as const).map((type) => ({
    type,
    groups: [],
    isOwned: true,
    isSuspended: false,
    found: ['FAIL', 'PASS'],
    foundAt: 1,
    isExempted: false,
    isSnoozed: false,
  })),
  first: { remediation_strategy: 'report_only' },
  firstBegins: null,
  other: { remediation_strategy: 'report_only' },
  saved: { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 2 },
  savedBegins: null,
}

/** Blocks so many devices at once that their blocks are held. */
const heldWorld: World = {
  ...blockingWorld,
  devices: Array.from({ length: 4 }, () => blockingWorld.devices).flat(),
  saved: { remediation_strategy: 'block_immediately' },
}

const momentOf = (hours: number | null) => (hours === null ? null : hour(hours))

async function makeWorld({ devices, first, firstBegins, other }: World) {
  const organizationId = (await make.organization()).id
  const groups = { one: (await make.deviceGroup(organizationId)).id, two: (await make.deviceGroup(organizationId)).id }
  const named = (list: readonly string[] | undefined) =>
    list?.map((name) => (name === 'one' || name === 'two' ? groups[name] : name))
  const requestOf = (wanted: World['first']): CheckConfigurationRequest => {
    const lists = ['targeted_groups', 'excluded_groups', 'blocking_allowed_groups', 'blocking_excluded_groups'] as const
    const renamed = lists.flatMap((name) => (wanted[name] ? [[name, named(wanted[name])]] : []))
    return { ...wanted, ...Object.fromEntries(renamed) }
  }
  const [check, second] = [await make.check(organizationId), await make.check(organizationId)]
  await configure(organizationId, check.id, requestOf(first), momentOf(firstBegins), hour(0))
  await configure(organizationId, second.id, requestOf(other), null, hour(0))
  for (const wanted of devices) await makeDevice(organizationId, wanted, groups, [check, second])
  return { organizationId, check, requestOf }
}

type Made = Awaited<ReturnType<typeof make.check>>

async function makeDevice(
  organizationId: string,
  wanted: FleetDevice,
  groups: Readonly<Record<'one' | 'two', string>>,
  checks: readonly [Made, Made],
) {
  const owner = wanted.isOwned ? { registered_owner_id: (await make.person(organizationId)).id } : {}
  const groupIds = wanted.groups.map((name) => groups[name])
  const device = await make.device(organizationId, { device_type: wanted.type, groupIds, ...owner })
  for (const [index, check] of checks.entries()) {
    const rows = wanted.found[index]
    if (rows !== undefined) await make.result({ device, check, rows, at: hour(wanted.foundAt) })
  }
  const [{ id: checkId }] = checks
  const about = { deviceId: device.id, checkId }
  const ignoring = (work: Promise<unknown>) => work.catch(() => {})
  const context = systemChange(organizationId, hour(wanted.foundAt + 1))
  if (wanted.isSnoozed)
    await ignoring(transact(database.db, (tx) => snoozeCheck(tx, about, systemChange(organizationId, hour(95)))))
  if (wanted.isExempted) {
    const exemption = { ...about, reason: 'A build server.', expiresAt: null }
    await ignoring(transact(database.db, (tx) => exemptCheck(tx, exemption, context)))
  }
  if (wanted.isSuspended) {
    await database.db
      .updateTable('devices')
      .set({ registration_suspended_at: hour(92) })
      .where('id', '=', device.id)
      .where('registered_owner_id', 'is not', null)
      .execute()
  }
}

async function configure(
  organizationId: string,
  checkId: string,
  request: CheckConfigurationRequest,
  beginsBlockingOn: string | null,
  now: string,
) {
  const unsaved = { organizationId, checkId, request, beginsBlockingOn }
  const preview = await previewConfiguration(database.db, unsaved, { now, most: 1_000 })
  const forecasts = await forecastsOf(unsaved, preview)
  const saving = { ...unsaved, token: preview.token }
  await transact(database.db, (tx) => savePreviewedConfiguration(tx, saving, systemChange(organizationId, now)))
  await recomputeCheck(database.db, { organizationId, checkId }, () => contextAt(now), never)
  return { preview, forecasts }
}

async function forecastsOf(
  { organizationId, checkId }: { organizationId: string; checkId: string },
  { plan }: Awaited<ReturnType<typeof previewConfiguration>>,
) {
  const asked = { organizationId, checkId, after: '0', limit: 1_000, isWhole: true, now: plan.now }
  const devices = await listPreviewedDevices(database.db, asked)
  return devices.map((device) => {
    const isStill = plan.isRetargeted ? isTargeted(plan.targeting, device) : device.status !== null
    return {
      id: device.id,
      isFailing: device.own.length > 0,
      was: device,
      ...forecast(device, plan.rules, isStill, plan),
    }
  })
}

const statesOf = async (organizationId: string) =>
  new Map(
    (
      await database.db
        .selectFrom('devices')
        .select(['id', 'auth_state', 'will_block_at'])
        .where('organization_id', '=', organizationId)
        .execute()
    ).map(({ id, ...state }) => [id, state]),
  )

test('what a preview foretells is what saving then does, at once and at the end of grace', async () => {
  let hits = 0
  await fc.assert(
    fc.asyncProperty(world, async (wanted) => {
      const { organizationId, check, requestOf } = await makeWorld(wanted)
      await settleDueDevices(database.db, () => contextAt(savedAt))
      const begins = momentOf(wanted.savedBegins)
      const { preview, forecasts } = await configure(organizationId, check.id, requestOf(wanted.saved), begins, savedAt)
      const saved = await statesOf(organizationId)
      const moves = { good: 0, notified: 0, will_block: 0, blocked: 0 }
      let released = 0
      for (const { id, isFailing, was, afterSaving } of forecasts) {
        const state = saved.get(id)
        assert.deepEqual(
          state,
          isFailing ? afterSaving : { auth_state: was.auth_state, will_block_at: was.will_block_at },
        )
        if (state && state.auth_state !== was.auth_state) moves[state.auth_state] += 1
        if (was.auth_state === 'blocked' && state?.auth_state !== 'blocked') released += 1
      }
      assert.deepEqual({ moves: preview.moves, released: preview.released }, { moves, released })
      await settleDueDevices(database.db, () => contextAt(preview.plan.end))
      const ended = await statesOf(organizationId)
      for (const { id, isFailing, atEnd } of forecasts) if (isFailing) assert.deepEqual(ended.get(id), atEnd)
      const blocking = await database.db
        .selectFrom('issues')
        .select('device_id')
        .distinct()
        .where('organization_id', '=', organizationId)
        .where('check_id', '=', check.id)
        .where('resolved_at', 'is', null)
        .where('exempted', '=', false)
        .where('blocks_device_at', '<=', preview.plan.end)
        .orderBy('device_id')
        .execute()
      const foretold = preview.blocked.map(({ device }) => device.id)
      assert.deepEqual(
        foretold,
        blocking.map((row) => row.device_id),
      )
      hits += foretold.length
    }),
    { numRuns: 40, examples: [[blockingWorld], [heldWorld]] },
  )
  assert.ok(hits >= blockingWorld.devices.length, `devices that were foretold to be blocked: ${hits}`)
})
