import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceProfile, usualWeights } from './device-profile.ts'
import { enrollBody } from './enroll-body.ts'
import { fillTemplate, markedProfile, prepareTemplate } from './identity-template.ts'

const many = Array.from({ length: 20_000 }, (_, index) => deviceProfile(7, index, usualWeights))

test('the same seed gives the same devices, and another seed gives others', () => {
  assert.deepEqual(deviceProfile(7, 123, usualWeights), many[123])
  assert.notEqual(deviceProfile(8, 123, usualWeights).uuid, many[123]?.uuid)
  assert.notEqual(deviceProfile(8, 123, usualWeights).serial, many[123]?.serial)
})

test('no two devices of a seed share what a server tells devices apart by', () => {
  for (const field of ['uuid', 'serial', 'hostname', 'instanceId', 'macAddress', 'ipAddress'] as const) {
    assert.equal(new Set(many.map((profile) => profile[field])).size, many.length, field)
  }
})

test('platforms come in the shares asked for', () => {
  const share = (platform: string) => many.filter((profile) => profile.platform === platform).length / many.length
  assert.ok(Math.abs(share('darwin') - 0.5) < 0.015, `darwin ${share('darwin')}`)
  assert.ok(Math.abs(share('windows') - 0.35) < 0.015, `windows ${share('windows')}`)
  const onlyLinux = { darwin: 0, windows: 0, linux: 1 }
  assert.ok(
    Array.from({ length: 100 }, (_, index) => deviceProfile(7, index, onlyLinux).platform).every((p) => p === 'linux'),
  )
})

test('uuids are well formed and Windows names fit into 15 characters', () => {
  for (const profile of many) {
    assert.match(profile.uuid, /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/)
    if (profile.platform === 'windows') assert.ok(profile.hostname.length <= 15, profile.hostname)
  }
})

test('an enrollment carries four tables of strings and the platform as osquery counts it', () => {
  const mac = many.find((profile) => profile.platform === 'darwin')
  assert.ok(mac)
  const body = JSON.parse(enrollBody(mac, 'a secret', 1_760_000_000))
  assert.deepEqual(Object.keys(body), ['enroll_secret', 'host_identifier', 'platform_type', 'host_details'])
  assert.equal(body.enroll_secret, 'a secret')
  assert.equal(body.host_identifier, mac.uuid)
  assert.equal(body.platform_type, '21')
  assert.deepEqual(Object.keys(body.host_details), ['os_version', 'osquery_info', 'system_info', 'platform_info'])
  for (const table of Object.values<Record<string, unknown>>(body.host_details)) {
    for (const value of Object.values(table)) assert.equal(typeof value, 'string')
  }
  assert.equal(body.host_details.system_info.hardware_serial, mac.serial)
  assert.equal(body.host_details.osquery_info.version, '0-simulated')
})

test('a prepared answer is filled with the values of each device', () => {
  const [one, other] = [many[0], many[1]]
  assert.ok(one && other)
  const marked = markedProfile(one)
  const template = prepareTemplate(
    JSON.stringify([{ name: marked.hostname, owner: `${marked.ownerName}!`, fixed: 'x' }]),
  )
  assert.deepEqual(JSON.parse(fillTemplate(template, other)), [
    { name: other.hostname, owner: `${other.ownerName}!`, fixed: 'x' },
  ])
  assert.equal(fillTemplate(prepareTemplate('[]'), other), '[]')
})
