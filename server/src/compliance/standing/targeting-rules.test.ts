import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceType } from '@muster/contract/devices.ts'
import { isAllowed, isTargeted, platformOf, type TargetedDevice, type Targeting } from './targeting-rules.ts'

const device = (device_type: DeviceType, ...group_ids: string[]): TargetedDevice => ({ device_type, group_ids })
const mac = device('Mac', '7')
const all = ['darwin', 'windows', 'linux']

test('computers have a platform, phones and tablets have none', () => {
  const types: DeviceType[] = ['Mac', 'Windows', 'Linux', 'iOS', 'Android']
  assert.deepEqual(types.map(platformOf), ['darwin', 'windows', 'linux', undefined, undefined])
})

const allowed: [string, string[], string[], TargetedDevice, boolean][] = [
  ['nobody named', [], [], mac, true],
  ['its group allowed', ['7'], [], mac, true],
  ['another group allowed', ['8'], [], mac, false],
  ['its platform allowed', ['macos'], [], mac, true],
  ['another platform allowed', ['windows'], [], mac, false],
  ['its group among others allowed', ['windows', '8', '7'], [], mac, true],
  ['its group excluded', [], ['7'], mac, false],
  ['its platform excluded', [], ['macos'], mac, false],
  ['another group excluded', [], ['8', 'linux'], mac, true],
  ['its group both allowed and excluded', ['7'], ['7'], mac, false],
  ['its platform allowed but its group excluded', ['macos'], ['7'], mac, false],
  ['its group allowed but its platform excluded', ['7'], ['macos'], mac, false],
  ['its platform named as osquery names it', ['darwin'], [], mac, false],
  ['only a group allowed and none of its own', ['7'], [], device('Windows'), false],
  ['a phone in an allowed group', ['7'], [], device('iOS', '7'), true],
  ['a phone under an allowed platform', ['macos'], [], device('iOS'), false],
  ['a phone in an excluded group', [], ['7'], device('Android', '7'), false],
]

for (const [what, include, exclude, whom, expected] of allowed) {
  test(`a device with ${what} is ${expected ? 'allowed' : 'left out'}`, () => {
    assert.equal(isAllowed(include, exclude, whom), expected)
  })
}

const check = (rest: Partial<Targeting>): Targeting => ({
  type: 'osquery',
  platforms: all,
  targeted_groups: [],
  excluded_groups: [],
  ...rest,
})

const targeted: [string, Targeting, TargetedDevice, boolean][] = [
  ['a check of every platform', check({}), mac, true],
  ['a check of its platform', check({ platforms: ['darwin'] }), mac, true],
  ['a check of another platform', check({ platforms: ['windows'] }), mac, false],
  [
    'a check of another platform that targets its group',
    check({ platforms: ['linux'], targeted_groups: ['7'] }),
    mac,
    false,
  ],
  ['a check that targets another group', check({ targeted_groups: ['8'] }), mac, false],
  ['a check that excludes its group', check({ targeted_groups: ['macos'], excluded_groups: ['7'] }), mac, false],
  ['a check of every platform', check({}), device('iOS'), false],
  ['a check of no platform', check({ platforms: [] }), mac, false],
  ['an external check of no platform', check({ type: 'external', platforms: [] }), mac, true],
  ['an external check of no platform', check({ type: 'external', platforms: [] }), device('iOS'), true],
  [
    'an external check of no platform that excludes its group',
    check({ type: 'external', platforms: [], excluded_groups: ['7'] }),
    device('iOS', '7'),
    false,
  ],
  ['an external check of every platform', check({ type: 'external' }), device('iOS'), false],
  ['an external check of another platform', check({ type: 'external', platforms: ['linux'] }), mac, false],
  ['a custom check of its platform', check({ type: 'custom', platforms: ['darwin'] }), mac, true],
]

for (const [what, of, whom, expected] of targeted) {
  test(`${what} ${expected ? 'targets' : 'does not target'} a device of type ${whom.device_type}`, () => {
    assert.equal(isTargeted(of, whom), expected)
  })
}
