import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { claimsOf, withUpstream } from '../oidc/claims-rules.ts'
import { type DeviceStanding, foldAddress, judgeSession, mayContinue, type Standing } from './session-rules.ts'

const good: DeviceStanding = {
  ownerId: '1',
  isSuspended: false,
  authState: 'good',
  isShared: false,
  isKeyKept: false,
  isHeld: false,
  request: undefined,
  isEvaluating: false,
  isUnfinished: false,
  isWarningDue: true,
}
const asserted: Standing = {
  person: { id: '1' },
  device: good,
  mayRegister: true,
  mode: 'enforce',
  kind: 'second_step',
  isLooping: false,
  isBypassed: false,
  isReady: true,
}
const withDevice = (device: Partial<DeviceStanding>, more: Partial<Standing> = {}): Standing => ({
  ...asserted,
  ...more,
  device: { ...good, ...device },
})

const observedFactor = { mode: 'observe', kind: 'entra' } as const

const cases: readonly (readonly [string, Standing, string])[] = [
  ['a good device of the person passes', asserted, 'passed'],
  ['an unknown person, before any device', { ...asserted, person: undefined, device: undefined }, 'unknown_person'],
  ['an unknown person with a device', { ...asserted, person: undefined }, 'unknown_person'],
  ['no device yet', { ...asserted, device: undefined }, 'looking'],
  ['a first device', withDevice({ ownerId: null }), 'register'],
  ['another device', withDevice({ ownerId: null }, { mayRegister: false }), 'ask_it'],
  ['a request that waits', withDevice({ ownerId: null, request: 'pending' }), 'awaiting_approval'],
  ['a request that was denied', withDevice({ ownerId: null, request: 'denied' }), 'denied'],
  ['a device of another person', withDevice({ ownerId: '2' }), 'not_your_device'],
  ['a shared device of another person', withDevice({ ownerId: '2', isShared: true }), 'passed'],
  ['a shared device of nobody', withDevice({ ownerId: null, isShared: true }), 'register'],
  ['a suspended registration', withDevice({ isSuspended: true }), 'ask_it'],
  [
    'a suspended registration of a device with its earlier key',
    withDevice({ isSuspended: true, isKeyKept: true }),
    'confirm',
  ],
  [
    'a suspended registration of someone else',
    withDevice({ isSuspended: true, isKeyKept: true, ownerId: '2', isShared: true }),
    'ask_it',
  ],
  ['a suspended registration that waits', withDevice({ isSuspended: true, request: 'pending' }), 'awaiting_approval'],
  ['a blocked device', withDevice({ authState: 'blocked' }), 'blocked'],
  ['a device whose checks run', withDevice({ authState: 'blocked', isEvaluating: true }), 'evaluating'],
  ['a device without results', withDevice({ isUnfinished: true }), 'unfinished'],
  ['a device that will block', withDevice({ authState: 'will_block' }), 'warning'],
  ['a device whose block is held', withDevice({ isHeld: true }), 'warning'],
  ['one whose block is held and that was warned today', withDevice({ isHeld: true, isWarningDue: false }), 'passed'],
  ['one that was warned today', withDevice({ authState: 'will_block', isWarningDue: false }), 'passed'],
  ['observe lets a blocked device in', withDevice({ authState: 'blocked' }, { mode: 'observe' }), 'observed'],
  ['observe lets a foreign device in', withDevice({ ownerId: '2' }, { mode: 'observe' }), 'observed'],
  ['observe waits for no check', withDevice({ isEvaluating: true, isUnfinished: true }, { mode: 'observe' }), 'passed'],
  ['a factor observes its own blocked device', withDevice({ authState: 'blocked' }, observedFactor), 'observed'],
  [
    'a factor takes no foreign device, whatever observes',
    withDevice({ ownerId: '2' }, observedFactor),
    'not_your_device',
  ],
  ['a factor takes no suspended registration', withDevice({ isSuspended: true }, observedFactor), 'ask_it'],
  ['a factor registers a first device while it observes', withDevice({ ownerId: null }, observedFactor), 'register'],
  ['a pause lets in without a device', { ...asserted, device: undefined, mode: 'paused' }, 'observed'],
  ['a pause lets a blocked device in', withDevice({ authState: 'blocked' }, { mode: 'paused' }), 'observed'],
  [
    'a pause lets in nobody whom it does not know',
    { ...asserted, person: undefined, device: undefined, mode: 'paused' },
    'unknown_person',
  ],
  ['a paused factor wants the device', { ...asserted, device: undefined, mode: 'paused', kind: 'entra' }, 'looking'],
  ['an application that keeps asking', { ...asserted, isLooping: true }, 'keeps_asking'],
  ['one that keeps asking for a blocked device', withDevice({ authState: 'blocked' }, { isLooping: true }), 'blocked'],
]

for (const [title, standing, expected] of cases) {
  test(title, () => assert.equal(judgeSession(standing), expected))
}

const anyDevice: fc.Arbitrary<DeviceStanding> = fc.record({
  ownerId: fc.constantFrom('1', '2', null),
  isSuspended: fc.boolean(),
  authState: fc.constantFrom('good', 'notified', 'will_block', 'blocked'),
  isShared: fc.boolean(),
  isKeyKept: fc.boolean(),
  isHeld: fc.boolean(),
  request: fc.constantFrom('pending', 'denied', undefined),
  isEvaluating: fc.boolean(),
  isUnfinished: fc.boolean(),
  isWarningDue: fc.boolean(),
})
const anyStanding: fc.Arbitrary<Standing> = fc.record({
  person: fc.constantFrom({ id: '1' }, undefined),
  device: fc.option(anyDevice, { nil: undefined }),
  mayRegister: fc.boolean(),
  mode: fc.constantFrom('enforce', 'observe', 'disabled', 'paused'),
  kind: fc.constantFrom('second_step', 'application', 'entra'),
  isLooping: fc.boolean(),
  isBypassed: fc.boolean(),
  isReady: fc.boolean(),
})

test('whatever the mode, no one continues without a person and a proved device that they may use, or a code from IT', () => {
  fc.assert(
    fc.property(anyStanding, (standing) => {
      const { person, device, mode, kind } = standing
      if (!mayContinue(judgeSession(standing))) return
      assert.ok(person)
      if (kind !== 'entra' && (standing.isBypassed || mode === 'paused')) return
      assert.ok(device)
      const isTheirs = device.ownerId === person.id
      if (mode === 'observe' && kind !== 'entra') return
      assert.ok(!device.isSuspended && (isTheirs || (device.isShared && device.ownerId !== null)))
      if (mode !== 'observe' && mode !== 'paused') assert.ok(device.authState !== 'blocked' && !device.isUnfinished)
    }),
    { numRuns: 5_000 },
  )
})

test('what an application is told of a device is true in every mode and outcome', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.option(fc.constant('7')), (isProved, isCompliant, deviceId) => {
      const { acr, amr, device_context: context } = claimsOf({ isProved, isCompliant, deviceId })
      const isDevice = isProved && deviceId !== null
      assert.equal(context.managed, isDevice)
      assert.equal(amr.length > 0, isDevice)
      assert.equal(context.compliant, isDevice && isCompliant)
      assert.equal(acr === 'urn:muster:device:compliant', isDevice && isCompliant)
      assert.ok(!amr.includes('hwk') && !amr.includes('phr'))
    }),
  )
})

test('what an upstream says makes no device of one that has not proved itself', () => {
  const words = fc.constantFrom('pwd', 'otp', 'hwk', 'swk', 'pop', 'phr')
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.array(words), fc.string(), (isProved, isCompliant, amr, acr) => {
      const own = claimsOf({ isProved, isCompliant, deviceId: '7' })
      const told = withUpstream(own, { amr, acr, email: 'ana@example.com' })
      assert.deepEqual([told.acr, told.device_context, told.upstream_acr], [own.acr, own.device_context, acr])
      const proved = told.amr.filter((method) => ['hwk', 'swk', 'pop', 'phr'].includes(method))
      if (isProved) assert.ok(own.amr.every((method) => told.amr.includes(method)))
      else assert.deepEqual(proved, [])
      assert.ok(amr.filter((method) => ['pwd', 'otp'].includes(method)).every((method) => told.amr.includes(method)))
    }),
  )
})

test('addresses are folded in ASCII only, so that no homograph and no dotless i passes for another', () => {
  assert.equal(foldAddress(' Ana@Example.COM '), 'ana@example.com')
  const homographs = ['\u0430na@example.com', 'AN\u0130@example.com', 'an\u0131@example.com', '\u017fana@example.com']
  for (const other of [...homographs, '\uff41na@example.com', 'ana@ex\u212aample.com']) {
    assert.ok(!['ana@example.com', 'ani@example.com', 'sana@example.com'].includes(foldAddress(other)), other)
  }
})
