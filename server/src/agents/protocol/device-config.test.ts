import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceConfig } from './device-config.ts'
import { fractionOf } from './due-rules.ts'

type Options = { logger_tls_period: number; logger_tls_backoff_max: number; logger_tls_max_lines: number }

const optionsOf = (deviceId: string, fleetSize: number): Options =>
  JSON.parse(deviceConfig(deviceId, 'linux', fleetSize)).options

/** When an osquery that fails to send from its `phase` on, in seconds, tries for the first time after `outage`. */
function firstTryAfter(outage: number, phase: number, { logger_tls_period: period, ...options }: Options): number {
  const longest = options.logger_tls_backoff_max
  let at = phase
  for (let failures = 1; at < outage; failures += 1) {
    at += Math.max(period, Math.min(period * failures ** 2, longest))
  }
  return at
}

for (const fleetSize of [500, 100_000]) {
  test(`after a day without a server a fleet of ${fleetSize} does not send its tables at once`, () => {
    const outage = 86_400
    const tenSeconds = new Array<number>(31).fill(0)
    const devices = 3_000
    for (let device = 1; device <= devices; device += 1) {
      const options = optionsOf(String(device), fleetSize)
      const phase = fractionOf(`phase ${device}`) * options.logger_tls_period
      const waited = firstTryAfter(outage, phase, options) - outage
      assert.ok(waited <= 300, `device ${device} waits ${waited} s`)
      const slot = Math.floor(waited / 10)
      tenSeconds[slot] = (tenSeconds[slot] ?? 0) + 1
    }
    // Evenly, a thirtieth each; with one longest pause for all, a sixth.
    assert.ok(Math.max(...tenSeconds) < devices / 10, `${tenSeconds}`)
  })
}

test('devices of one platform share a few texts, whatever their number', () => {
  const texts = new Set<string>()
  for (let device = 1; device <= 5_000; device += 1) {
    for (const fleetSize of [10, 100_000]) texts.add(deviceConfig(String(device), 'linux', fleetSize))
  }
  assert.ok(texts.size <= 24, `${texts.size} texts`)
})
