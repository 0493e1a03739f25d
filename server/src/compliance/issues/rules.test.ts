import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayMs, plusMs } from '../../base/time.ts'
import { type BlockingFacts, type BlockingPolicy, decideBlocking } from './rules.ts'

const now = '2026-11-20T10:00:00.000Z'
const at = (days: number) => plusMs(now, days * dayMs)
const nothing = { blocking_since: null, blocks_device_at: null }

const policy = (rest: Partial<BlockingPolicy> = {}): BlockingPolicy => ({
  remediation_strategy: 'warn_then_block',
  block_auth_grace_period_days: 7,
  begins_blocking_on: null,
  paused_at: null,
  ...rest,
})
const facts = (rest: Partial<BlockingFacts> = {}): BlockingFacts => ({
  policy: policy(),
  isInBlockingGroups: true,
  isExempted: false,
  detectedAt: now,
  blockingSince: null,
  registeredAt: at(-100),
  snoozedUntil: null,
  ...rest,
})
const atOnce = policy({ remediation_strategy: 'block_immediately' })

const cases: [string, Partial<BlockingFacts>, ReturnType<typeof decideBlocking>][] = [
  ['report_only blocks nobody', { policy: policy({ remediation_strategy: 'report_only' }) }, nothing],
  ['notify_only blocks nobody', { policy: policy({ remediation_strategy: 'notify_only' }) }, nothing],
  ['warn_then_block grants its grace', {}, { blocking_since: now, blocks_device_at: at(7) }],
  [
    'no grace blocks at once',
    { policy: policy({ block_auth_grace_period_days: 0 }) },
    { blocking_since: now, blocks_device_at: now },
  ],
  ['block_immediately ignores the grace', { policy: atOnce }, { blocking_since: now, blocks_device_at: now }],
  [
    'the base is the detection where it is latest',
    { detectedAt: at(-1), blockingSince: at(-3) },
    { blocking_since: at(-3), blocks_device_at: at(6) },
  ],
  [
    'the base is the start of blocking where it is latest',
    { detectedAt: at(-9), blockingSince: at(-2) },
    { blocking_since: at(-2), blocks_device_at: at(5) },
  ],
  [
    'the base is the registration where it is latest',
    { detectedAt: at(-9), blockingSince: at(-5), registeredAt: at(-1) },
    { blocking_since: at(-5), blocks_device_at: at(6) },
  ],
  ['blocking that begins now begins now', { detectedAt: at(-30) }, { blocking_since: now, blocks_device_at: at(7) }],
  [
    'blocking at once that begins now begins now',
    { policy: atOnce, detectedAt: at(-30) },
    { blocking_since: now, blocks_device_at: now },
  ],
  [
    'an old issue blocks since its moment',
    { detectedAt: at(-30), blockingSince: at(-30) },
    { blocking_since: at(-30), blocks_device_at: at(-23) },
  ],
  [
    'nobody is blocked before begins_blocking_on',
    { policy: policy({ begins_blocking_on: at(20) }) },
    { blocking_since: now, blocks_device_at: at(20) },
  ],
  [
    'begins_blocking_on adds no grace',
    { policy: { ...atOnce, begins_blocking_on: at(20) } },
    { blocking_since: now, blocks_device_at: at(20) },
  ],
  [
    'a begins_blocking_on that is over changes nothing',
    { policy: policy({ begins_blocking_on: at(-20) }) },
    { blocking_since: now, blocks_device_at: at(7) },
  ],
  [
    'a begins_blocking_on within the grace changes nothing',
    { policy: policy({ begins_blocking_on: at(3) }) },
    { blocking_since: now, blocks_device_at: at(7) },
  ],
  [
    'a snooze pushes the block to its end',
    { policy: atOnce, snoozedUntil: at(1) },
    { blocking_since: now, blocks_device_at: at(1) },
  ],
  [
    'a snooze within the grace changes nothing',
    { snoozedUntil: at(1) },
    { blocking_since: now, blocks_device_at: at(7) },
  ],
  [
    'a snooze that is over leaves the block at its end',
    { blockingSince: at(-9), detectedAt: at(-9), snoozedUntil: at(-1) },
    { blocking_since: at(-9), blocks_device_at: at(-1) },
  ],
  ['a paused check blocks nobody', { policy: policy({ paused_at: at(-1) }) }, nothing],
  [
    'a paused check forgets since when it blocked',
    { policy: policy({ paused_at: at(-1) }), blockingSince: at(-5) },
    nothing,
  ],
  ['outside the blocking groups nobody is blocked', { isInBlockingGroups: false, blockingSince: at(-5) }, nothing],
  [
    'an exempted issue does not block',
    { isExempted: true, blockingSince: at(-5) },
    { blocking_since: at(-5), blocks_device_at: null },
  ],
  ['a device of nobody is not blocked', { registeredAt: null }, { blocking_since: now, blocks_device_at: null }],
  [
    'a device of nobody keeps since when it would be',
    { registeredAt: null, blockingSince: at(-5) },
    { blocking_since: at(-5), blocks_device_at: null },
  ],
]

for (const [title, given, expected] of cases) {
  test(title, () => {
    assert.deepEqual(decideBlocking(facts(given), now), expected)
  })
}

const moment = fc.integer({ min: -50, max: 50 }).map(at)
const anyFacts: fc.Arbitrary<BlockingFacts> = fc.record({
  policy: fc.record({
    remediation_strategy: fc.constantFrom('block_immediately', 'warn_then_block', 'notify_only', 'report_only'),
    block_auth_grace_period_days: fc.nat(30),
    begins_blocking_on: fc.option(moment),
    paused_at: fc.option(moment, { freq: 5 }),
  }),
  isInBlockingGroups: fc.boolean(),
  isExempted: fc.boolean(),
  detectedAt: moment,
  blockingSince: fc.option(moment),
  registeredAt: fc.option(moment, { freq: 5 }),
  snoozedUntil: fc.option(moment),
})

test('deciding again changes nothing, now or later', () => {
  fc.assert(
    fc.property(anyFacts, fc.nat(40), (given, days) => {
      const once = decideBlocking(given, now)
      const again = decideBlocking({ ...given, blockingSince: once.blocking_since }, at(days))
      const stands = once.blocking_since !== null
      assert.deepEqual(again, stands ? once : nothing)
    }),
  )
})

test('nobody is blocked before any of the moments that put it off', () => {
  fc.assert(
    fc.property(anyFacts, (given) => {
      const { blocks_device_at: blocksAt } = decideBlocking(given, now)
      if (blocksAt === null) return
      const moments = [given.detectedAt, given.blockingSince ?? now, given.registeredAt, given.snoozedUntil]
      for (const one of [...moments, given.policy.begins_blocking_on]) assert.ok(one === null || blocksAt >= one)
    }),
  )
})
