import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { changedSettings, changesSchedule, scopeOf, wantedSettings } from './configuration-changes.ts'
import { describeChanges } from './describe-settings.ts'
import type { SettingName, Settings } from './settings.ts'

const words = { title: 'An option', description: 'It is one.' }
const definitions: OptionDefinitions = {
  max_minutes: { ...words, kind: 'integer', default: 15, min: 1, max: 60 },
  names: { ...words, kind: 'text_list', default: ['Guest'], maxLength: 20, minItems: 0, maxItems: 5 },
  versions: {
    ...words,
    kind: 'record_list',
    default: [],
    minItems: 0,
    maxItems: 5,
    fields: { major: { kind: 'integer', title: 'Major', min: 0, max: 99 }, least: { kind: 'version', title: 'Least' } },
  },
}
const before: Settings = {
  is_paused: false,
  block_auth_grace_period_days: 7,
  auth_check_run_shelf_life_seconds: 3600,
  snooze_disallowed: false,
  exemptions_disallowed: false,
  targeted_groups: ['macos', '12', '7'],
  excluded_groups: [],
  blocking_allowed_groups: [],
  blocking_excluded_groups: [],
  options: { max_minutes: 15, names: ['Guest', 'admin'], versions: [{ least: '15.1', major: 15 }] },
  remediation_strategy: 'report_only',
  begins_blocking_on: null,
}

const wantedOf = (request: CheckConfigurationRequest): Partial<Settings> => {
  const wanted = wantedSettings(request, definitions)
  assert.ok('ok' in wanted)
  return wanted.ok
}

const changes: [string, CheckConfigurationRequest, SettingName[]][] = [
  ['nothing', {}, []],
  ['what is so already', { paused: false, remediation_strategy: 'report_only', block_auth_grace_period_days: 7 }, []],
  ['a pause', { paused: true }, ['is_paused']],
  ['a grace of nothing', { block_auth_grace_period_days: 0 }, ['block_auth_grace_period_days']],
  ['the same groups in another order, twice, as numbers', { targeted_groups: [7, 'macos', 12, '12', '7'] }, []],
  ['one group less', { targeted_groups: ['macos', '7'] }, ['targeted_groups']],
  ['no group', { targeted_groups: [] }, ['targeted_groups']],
  ['none where none were', { excluded_groups: [], blocking_allowed_groups: [], blocking_excluded_groups: [] }, []],
  [
    'the same options in another order',
    { options: { versions: [{ major: 15, least: '15.1' }], names: ['Guest', 'admin'], max_minutes: 15 } },
    [],
  ],
  [
    'the same options as text',
    { options: '{"versions":[{"major":15,"least":"15.1"}],"names":["Guest","admin"],"max_minutes":15}' },
    [],
  ],
  [
    'a list of an option in another order',
    { options: { max_minutes: 15, names: ['admin', 'Guest'], versions: [{ least: '15.1', major: 15 }] } },
    ['options'],
  ],
  ['options replaced by the defaults', { options: {} }, ['options']],
  [
    'several settings, in the order of the contract',
    { remediation_strategy: 'block_immediately', snooze_disallowed: true, paused: true, exemptions_disallowed: true },
    ['is_paused', 'snooze_disallowed', 'exemptions_disallowed', 'remediation_strategy'],
  ],
]

for (const [what, request, expected] of changes) {
  test(`a request for ${what} changes ${expected.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(changedSettings(before, wantedOf(request)), expected)
  })
}

test('options are replaced whole, and those left out take their defaults', () => {
  assert.deepEqual(wantedOf({ options: { names: ['eve'] } }).options, { max_minutes: 15, names: ['eve'], versions: [] })
})

const faulty: [string | object, { field: string; message: string }[]][] = [
  ['{', [{ field: 'options', message: 'must be JSON text of an object' }]],
  ['[]', [{ field: 'options', message: 'must be an object' }]],
  ['null', [{ field: 'options', message: 'must be an object' }]],
  [{ max_minutes: '15' }, [{ field: 'options/max_minutes', message: 'must be a whole number from 1 to 60' }]],
  [
    { unheard: 1, max_minutes: 61 },
    [
      { field: 'options/unheard', message: 'is not an option of this check' },
      { field: 'options/max_minutes', message: 'must be a whole number from 1 to 60' },
    ],
  ],
  [{ __proto__: null, constructor: 1 }, [{ field: 'options/constructor', message: 'is not an option of this check' }]],
]

for (const [options, errors] of faulty) {
  test(`the options ${JSON.stringify(options)} are refused field by field`, () => {
    assert.deepEqual(wantedSettings({ options }, definitions), { errors })
  })
}

test('members that no request may set are ignored', () => {
  const request = { begins_blocking_on: '2026-01-01', revision: 9, paused: true } as CheckConfigurationRequest
  assert.deepEqual(wantedOf(request), { is_paused: true })
})

const groupNames = new Map([
  ['8', 'Laptops'],
  ['12', 'VIP'],
  ['linux', 'Linux'],
  ['macos', 'macOS'],
])

const lists: [SettingName, from: readonly string[], to: readonly string[], words: string][] = [
  ['excluded_groups', [], ['8'], 'no longer runs on "Laptops"'],
  ['excluded_groups', ['8', 'linux'], ['linux', '12'], 'no longer runs on "VIP"; runs again on "Laptops"'],
  ['excluded_groups', ['99'], [], 'runs again on group 99'],
  ['targeted_groups', [], ['macos', '8'], 'now runs only on macOS, "Laptops", before: on every device'],
  ['targeted_groups', ['macos'], [], 'now runs on every device, before: only on macOS'],
  ['blocking_allowed_groups', [], ['12'], 'now may block only on "VIP", before: on every device'],
  ['blocking_excluded_groups', ['8'], ['12'], 'never blocks on "VIP"; may block again on "Laptops"'],
]

for (const [name, from, to, words] of lists) {
  test(`${name} from ${from} to ${to} reads: ${words}`, () => {
    assert.equal(describeChanges({ ...before, [name]: from }, { ...before, [name]: to }, [name], groupNames), words)
  })
}

test('changes are told one clause a setting, from and to', () => {
  const after: Settings = {
    ...before,
    is_paused: true,
    excluded_groups: ['8', 'linux'],
    remediation_strategy: 'notify_only',
  }
  assert.equal(
    describeChanges(before, after, ['is_paused', 'excluded_groups', 'remediation_strategy'], groupNames),
    'paused; no longer runs on "Laptops", Linux; strategy changed from "Report only" to "Notify only"',
  )
})

const reach: [SettingName, ReturnType<typeof scopeOf>, boolean][] = [
  ['is_paused', 'open_issues', true],
  ['block_auth_grace_period_days', 'open_issues', false],
  ['auth_check_run_shelf_life_seconds', undefined, false],
  ['snooze_disallowed', undefined, false],
  ['exemptions_disallowed', undefined, false],
  ['targeted_groups', 'all_devices', true],
  ['excluded_groups', 'all_devices', true],
  ['blocking_allowed_groups', 'open_issues', false],
  ['blocking_excluded_groups', 'open_issues', false],
  ['options', 'all_devices', true],
  ['remediation_strategy', 'open_issues', false],
]

for (const [name, scope, schedules] of reach) {
  test(`a change of ${name} touches ${scope ?? 'no device'} and ${schedules ? 'changes' : 'keeps'} what agents run`, () => {
    assert.equal(scopeOf([name]), scope)
    assert.equal(scopeOf(['snooze_disallowed', name]), scope)
    assert.equal(changesSchedule([name]), schedules)
  })
}

test('of several changes the widest decides', () => {
  assert.equal(scopeOf([]), undefined)
  assert.equal(scopeOf(['remediation_strategy', 'options']), 'all_devices')
  assert.equal(scopeOf(['excluded_groups', 'is_paused']), 'all_devices')
})
