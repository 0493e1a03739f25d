import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network-of.ts'

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
    ['no address', 'no address'],
    ['', ''],
  ] as const) {
    assert.equal(networkOf(address), network)
  }
})
