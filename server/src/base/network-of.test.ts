import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, siteOf } from './network-of.ts'

test('a network is an IPv4 address or 64 bits of IPv6', () => {
  for (const [address, network] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::'],
    ['2001:db8::1', '2001:db8::'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::'],
    ['fe80::1%eth0', 'fe80::'],
    ['::1', '::'],
  ] as const) {
    assert.equal(networkOf(address), network)
  }
})

test('texts that are no addresses are of 64 networks together', () => {
  const texts = Array.from({ length: 5_000 }, (_, port) => `203.0.113.9:${port}x`)
  const networks = new Set(['', 'unknown', ...texts].map(networkOf))
  assert.equal(networks.size, 64)
  assert.equal(networkOf('unknown'), networkOf('unknown'))
})

test('a site is 48 bits of IPv6, and else a network', () => {
  for (const [address, site] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['192.0.2.7', '192.0.2.7'],
    ['unknown', networkOf('unknown')],
  ] as const) {
    assert.equal(siteOf(address), site)
  }
})
