import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../support/database.ts'
import { rowVersions } from '../support/row-versions.ts'
import { extent } from '../support/soak.ts'
import { at, checkCount, deviceCount, expire, settle } from './compliance-model.ts'
import { anyConfiguration, anyRows, anyStep, momentOf, type Step, take } from './compliance-steps.ts'
import { type Fleet, isoOf, makeFleet, newsOf, perform, report, startMs, sweep } from './fleet.ts'
import { expected, observe } from './observe-fleet.ts'

/** Raise it to search further: MUSTER_HISTORIES=500. */
const histories = Number(process.env['MUSTER_HISTORIES'] ?? extent(8, 100))
const database = testDatabase()

/** A fleet in which something can happen: registered devices and checks that block. */
const opening: Step[] = [
  { kind: 'register', device: 0, person: 0 },
  { kind: 'register', device: 1, person: 1 },
  { kind: 'configure', check: 0, change: { strategy: 'block_immediately' } },
  { kind: 'configure', check: 1, change: { strategy: 'warn_then_block', graceDays: 1 } },
]

/** Rare enough that a few histories seldom have it. */
const suspendedAndBack: Step[] = [
  { kind: 'suspend', device: 0 },
  { kind: 'unregister', device: 0, isByPerson: true },
  { of: 'registration', kind: 'ask', device: 0, person: 0 },
  { kind: 'register', device: 0, person: 0 },
  { kind: 'unregister', device: 0, isByPerson: false },
  { of: 'registration', kind: 'approve', request: 0 },
]

async function checkNews(fleet: Fleet): Promise<void> {
  const { devices } = await observe(fleet)
  for (const [index, news] of (await newsOf(fleet)).entries()) {
    const device = at(devices, index)
    let [state, signalled]: unknown[] = ['good', 'compliant']
    for (const { type, data } of news) {
      if (type !== 'device_trust.status_changed') continue
      assert.equal(data['from'], state, 'the news of a device form a chain')
      state = data['to']
      const compliance = data['compliance'] as { previous: string; current: string } | undefined
      assert.ok(compliance || data['from'] !== state, 'news say something new')
      if (!compliance) continue
      assert.equal(compliance.previous, signalled)
      assert.notEqual(compliance.current, signalled, 'compliance is announced when it differs from the last announced')
      assert.equal(compliance.current, state === 'blocked' ? 'not-compliant' : 'compliant')
      signalled = compliance.current
    }
    assert.equal(state, device.state)
    assert.equal(signalled, device.signalled ?? 'compliant')
    const count = (type: string) => news.filter((one) => one.type === type).length
    assert.equal(count('issues.new'), device.opened)
    assert.equal(count('issues.resolved'), device.opened - device.issues.length)
  }
}

test('after every step of any history the database holds what the rules say, and a repeat writes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const { fleet, model } = await makeFleet(database)
      for (const [index, step] of [...opening, ...steps].entries()) {
        model.now = momentOf(model, step)
        const now = isoOf(model.now)
        const answer = take(model, step)
        for (const device of model.devices) settle(model, device)
        const hasExpired = expire(model)
        for (const device of model.devices) settle(model, device)
        assert.equal(await perform(fleet, step, now), answer)
        await sweep(fleet, now)
        assert.deepEqual(await observe(fleet), expected(model), `after step ${index}: ${JSON.stringify(step)}`)
        // What an exemption stood in the way of is possible once it has ended.
        if (hasExpired && answer !== 'done') continue
        const versions = await rowVersions(database.db)
        await perform(fleet, step, now)
        await sweep(fleet, now)
        assert.deepEqual(await rowVersions(database.db), versions, `step ${index} again: ${JSON.stringify(step)}`)
      }
      await checkNews(fleet)
    }),
    { numRuns: histories, examples: [[suspendedAndBack]], endOnFailure: process.env['CI'] !== undefined },
  )
})

const runsOfOneMoment = fc.uniqueArray(
  fc.record({
    kind: fc.constant('run' as const),
    device: fc.nat(deviceCount - 1),
    check: fc.nat(checkCount - 1),
    rows: anyRows,
    isOld: fc.constant(false),
  }),
  { selector: ({ device, check }) => `${device}/${check}`, minLength: 2 },
)

test('what comes in at one moment leads to one state in whatever order and parcels it comes', async () => {
  const input = fc
    .tuple(runsOfOneMoment, runsOfOneMoment, fc.array(anyConfiguration, { minLength: 2, maxLength: 2 }))
    .chain(([before, runs, configurations]) =>
      fc.tuple(
        fc.constant(before),
        fc.constant(runs),
        fc.shuffledSubarray(runs, { minLength: runs.length }),
        fc.constant(configurations),
        fc.integer({ min: 1, max: 3 }),
      ),
    )
  await fc.assert(
    fc.asyncProperty(input, async ([before, runs, shuffled, configurations, parcels]) => {
      const [one, other] = [(await makeFleet(database)).fleet, (await makeFleet(database)).fleet]
      const [now, later] = [isoOf(startMs + 1), isoOf(startMs + 2)]
      for (const fleet of [one, other]) {
        const steps: Step[] = [
          ...opening,
          ...configurations.map((change, check) => ({ kind: 'configure' as const, check, change })),
          ...before,
        ]
        for (const step of steps) await perform(fleet, step, now)
      }
      for (const run of runs) {
        await report(one, [run], later)
        await sweep(one, later)
      }
      for (const parcel of Map.groupBy(shuffled, (_, index) => index % parcels).values()) {
        await report(other, parcel, later)
      }
      await sweep(other, later)
      assert.deepEqual(await observe(one), await observe(other))
      await checkNews(one)
      await checkNews(other)
    }),
    { numRuns: histories },
  )
})
