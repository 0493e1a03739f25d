import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrollBody, type Machine } from '../../../test/support/osquery-client.ts'
import { doubtOf, identityOf, isSecondMachine, type KnownMachine, readEnrollment } from './enrollment-rules.ts'

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
      host_identifier: '4C4C4544-0042-3510-8056-B4C04F4D4E32',
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
    'ToBeFilledByO.E.M.',
    'Filled By O.E.M.',
    ' ',
    '.',
    '1',
    'A',
    '123',
    '12345',
    '123456',
    '1234567',
    '12345678',
    '123456789',
    '1234567890',
    '0123456789',
    '9876543210',
    '0987654321',
    '123456789012345678901234567890',
    '0123456789ABCDEF',
    '1111111111',
    '0000-0000-0000',
    '--------',
    'NNNNNNN',
    'xxxxxxxxxxx',
    'XX-XX-XX',
    'ABCDEFGH',
    'abcdefghij',
    'SYS-1234567890',
    'SYS-9876543210',
    'SYS-0000000000',
    'SN-12345',
    'SN-1234567890',
    'SN: 12345678',
    'S/N 12345',
    'SN12345678',
    'EVAL',
    'Evaluation',
    'IATPASS',
    'Tulip Computers',
    'Not Defined Yet',
    'Unknow',
    'unknown',
    'empty',
    'Not Present',
    'Not Settable',
    'Undefined',
    'N/A',
    'NULL',
    '(null string)',
    'INVALID',
    'OEM',
    'OEM_Serial',
  ]
  for (const serial of nothing) assert.equal(factsOf({ serial })?.serial, null, `"${serial}"`)
})

test('a serial that a maker gave is one', () => {
  const real = [
    'C02XL0GTJGH5',
    'C02XG0GDJG5H',
    'FVFXK1ABQ6L4',
    'J4T7XQ2MN9',
    'PF3ABCDE',
    'MJ0123AB',
    'R90XXXXX',
    '5CG1234XYZ',
    '5CD012345G',
    'CZC1234567',
    '1ABCD23',
    '1234ABC',
    '7HJKLM2',
    'GGGGGG2',
    '1111112',
    '123450',
    '0012345678',
    '20230000012',
    'A1',
    '42',
    'SN0A12BC',
    'SN100200',
    'SN-12354',
    'VM-4711',
    'LAB-2025-0007',
    'PF00C0DE',
    'S0J6123456',
    'VMware-56 4d 0a 7f 3b 6c 8f 6e-4f 0d 9a 52 61 f0 a2 c1',
    'Parallels-5E 2B 6C 1F 0E 43 5B 0B 9D 61 7A 1C 3F 3E 2D 10',
    '0000-0012-8845-3310-7269-0457-31',
    '8243-5967-1234-0098-4412-7765-04',
    'ec2f1a0b-1c2d-3e4f-5a6b-7c8d9e0f1a2b',
    'GoogleCloud-0A7F3B6C8F6E4F0D9A5261F0A2C1D3E4',
    'NXEFUEK001125043F07600',
    'System76-0042',
  ]
  for (const serial of real) assert.equal(factsOf({ serial })?.serial, serial)
})

test('an identifier that boards share is no hardware uuid', () => {
  const shared = [
    '',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '03000200-0400-0500-0006-000700080009',
    '00020003-0004-0005-0006-000700080009',
    '03020100-0504-0706-0809-0A0B0C0D0E0F',
    '00010203-0405-0607-0809-0a0b0c0d0e0f',
    '00112233-4455-6677-8899-AABBCCDDEEFF',
    '33221100-5544-7766-8899-AABBCCDDEEFF',
    '10000000-0000-8000-0040-000000000000',
    '12345678-1234-5678-90AB-CDDEEFAABBCC',
    '78563412-3412-7856-90AB-CDDEEFAABBCC',
    'FEFEFEFE-FEFE-FEFE-FEFE-FEFEFEFEFEFE',
    '01010101-0101-0101-0101-010101010101',
    '00000000-0000-0000-0000-000000000001',
    '00FF00FF-00FF-00FF-00FF-00FF00FF00FF',
    '2',
    'Not Settable',
    '4C4C4544-0042-3510-8056',
    '4C4C4544-0042-3510-8056-B4C04F4D4E32-1',
    '4C4C454400423510 8056B4C04F4D4E32',
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
  const shared = 'FEFEFEFE-FEFE-FEFE-FEFE-FEFEFEFEFEFE'
  const untold: [uuid: string, hostIdentifier: string][] = [
    [shared, shared],
    ['', shared],
    ['Not Settable', 'not settable'],
  ]
  for (const [uuid, hostIdentifier] of untold) {
    assert.equal(factsOf({ uuid, serial: '', hostIdentifier })?.machine_id, null, hostIdentifier)
  }
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
    host_identifier: null,
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

test('what matches by less than UUID and serial is a second machine while an agent of another host identifier lives', () => {
  const now = '2026-11-20T10:10:00.000Z'
  const [lately, longAgo] = ['2026-11-20T10:00:00.001Z', '2026-11-20T10:00:00.000Z']
  const alive: KnownMachine = { serial: null, host_identifier: 'ana', enrolled_at: longAgo, last_seen_at: lately }
  const cases: [known: Partial<KnownMachine>, machine: Machine, isSecond: boolean][] = [
    [{}, { serial: '', hostIdentifier: 'ben' }, true],
    [{ serial: 'PF3ABCDE' }, { serial: 'Default string', hostIdentifier: 'ben' }, true],
    [{}, { serial: 'PF3ABCDE', hostIdentifier: 'ben' }, true],
    [{ serial: 'PF3ABCDE' }, { uuid: '', serial: 'PF3ABCDE', hostIdentifier: 'ben' }, true],
    [{ serial: 'PF3ABCDE' }, { serial: 'PF3ABCDE', hostIdentifier: 'ben' }, false],
    [{}, { serial: '', hostIdentifier: 'ANA' }, false],
    [{}, { serial: '', hostIdentifier: '' }, false],
    [{ host_identifier: null }, { serial: '', hostIdentifier: 'ben' }, false],
    [{ last_seen_at: longAgo }, { serial: '', hostIdentifier: 'ben' }, false],
    [{ last_seen_at: null }, { serial: '', hostIdentifier: 'ben' }, false],
    [{ last_seen_at: null, enrolled_at: lately }, { serial: '', hostIdentifier: 'ben' }, true],
  ]
  for (const [known, machine, isSecond] of cases) {
    const facts = factsOf(machine) ?? assert.fail()
    assert.equal(isSecondMachine({ ...alive, ...known }, facts, now), isSecond, JSON.stringify([known, machine]))
  }
})
