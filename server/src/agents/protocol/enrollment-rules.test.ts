import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrollBody, type Machine } from '../../../test/support/osquery-client.ts'
import { doubtOf, identityOf, readEnrollment } from './enrollment-rules.ts'

const factsOf = (machine?: Machine) => readEnrollment(enrollBody('a secret', machine))?.facts

test('what osquery tells of a Debian laptop', () => {
  assert.deepEqual(readEnrollment(enrollBody('a secret')), {
    secret: 'a secret',
    facts: {
      name: 'ana-x1',
      device_type: 'Linux',
      operating_system: 'Debian GNU/Linux 12',
      hardware_model: '21CBCTO1WW',
      serial: 'PF3ABCDE',
      hardware_uuid: '4C4C4544-0042-3510-8056-B4C04F4D4E32',
      machine_id: null,
      agent_version: '5.23.1',
    },
  })
})

test('macOS and Windows are told apart by the mask, and by the platform where there is none', () => {
  const mac = { name: 'macOS', version: '26.1', platform: 'darwin' }
  const windows = { name: 'Microsoft Windows 11 Pro', version: '10.0.26100', platform: 'windows' }
  const told = [
    factsOf({ platformType: '21', osVersion: mac }),
    factsOf({ platformType: '2', osVersion: windows }),
    factsOf({ platformType: '', osVersion: mac }),
    factsOf({ platformType: '', osVersion: windows }),
  ].map((facts) => [facts?.device_type, facts?.operating_system])
  assert.deepEqual(told, [
    ['Mac', 'macOS 26.1'],
    ['Windows', 'Microsoft Windows 11 Pro 10.0.26100'],
    ['Mac', 'macOS 26.1'],
    ['Windows', 'Microsoft Windows 11 Pro 10.0.26100'],
  ])
})

test('where the mask contradicts what the machine reports, the machine is believed', () => {
  const typeOf = (platformType: string, platform: string) =>
    factsOf({ platformType, osVersion: { name: 'System', version: '1', platform } })?.device_type
  assert.deepEqual(
    [typeOf('16', 'ubuntu'), typeOf('2', 'debian'), typeOf('9', 'darwin'), typeOf('21', 'windows'), typeOf('', 'arch')],
    ['Linux', 'Linux', 'Mac', 'Windows', 'Linux'],
  )
  assert.deepEqual(
    [typeOf('16', ''), typeOf('2', 'unknown'), typeOf('9', 'posix'), typeOf('21', 'POSIX')],
    ['Mac', 'Windows', 'Linux', 'Mac'],
  )
})

test('what nobody filled in is no serial', () => {
  const nothing = [
    '',
    '-1',
    '0',
    '000000',
    'None',
    'Default string',
    'System Serial Number',
    'To Be Filled By O.E.M.',
    ' ',
  ]
  for (const serial of nothing) assert.equal(factsOf({ serial })?.serial, null, `"${serial}"`)
  assert.equal(factsOf({ serial: 'C02XL0GTJGH5' })?.serial, 'C02XL0GTJGH5')
})

test('an identifier that boards share is no hardware uuid', () => {
  const shared = [
    '',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '03000200-0400-0500-0006-000700080009',
  ]
  for (const uuid of shared) assert.equal(factsOf({ uuid })?.hardware_uuid, null, `"${uuid}"`)
  assert.equal(
    factsOf({ uuid: '4c4c4544-0042-3510-8056-b4c04f4d4e32' })?.hardware_uuid,
    '4C4C4544-0042-3510-8056-B4C04F4D4E32',
  )
})

test('the host identifier tells a machine apart only where serial and uuid are missing', () => {
  assert.equal(factsOf({ uuid: '', serial: '', hostIdentifier: 'f00d' })?.machine_id, 'f00d')
  assert.equal(factsOf({ serial: '', hostIdentifier: 'f00d' })?.machine_id, null)
  const nameless = factsOf({ uuid: '', serial: '', hostIdentifier: '' })
  assert.equal(nameless && identityOf(nameless), undefined)
})

test('any body is read without a fault, and without a secret it is no enrollment', () => {
  for (const body of [undefined, null, [], 'text', {}, { enroll_secret: '' }, { enroll_secret: 7 }]) {
    assert.equal(readEnrollment(body), undefined)
  }
  const odd = {
    enroll_secret: 's',
    host_details: { system_info: [], os_version: null, osquery_info: 'x' },
    platform_type: {},
  }
  assert.deepEqual(readEnrollment(odd)?.facts, {
    name: 'Unnamed device',
    device_type: 'Linux',
    operating_system: null,
    hardware_model: null,
    serial: null,
    hardware_uuid: null,
    machine_id: null,
    agent_version: null,
  })
})

test('texts lose what a database cannot hold', () => {
  const facts = factsOf({ system: { computer_name: `a\0b\ud800${'x'.repeat(400)}` } })
  assert.equal(facts?.name.length, 255)
  assert.ok(facts?.name.startsWith('ab\ufffdxx'))
})

test('an enrollment as a registered machine is doubtful unless its owner’s secret comes after a silence', () => {
  const now = '2026-11-20T10:10:00.000Z'
  const cases: [owner: string | null, spokeAt: string | null, secretOf: string | null, isDoubtful: boolean][] = [
    [null, '2026-11-20T10:09:00.000Z', null, false],
    ['3', null, null, true],
    ['3', null, '4', true],
    ['3', null, '3', false],
    ['3', '2026-11-20T10:00:00.001Z', '3', true],
    ['3', '2026-11-20T10:00:00.000Z', '3', false],
  ]
  for (const [owner, spokeAt, secretOf, isDoubtful] of cases) {
    const doubt = doubtOf({ registered_owner_id: owner, spokeAt }, secretOf, now)
    assert.equal(doubt !== undefined, isDoubtful, JSON.stringify([owner, spokeAt, secretOf]))
  }
})
