import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'
import { faultOfReceiverUrl, maximumUrlLength } from './receiver-url.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`test-vectors/${name}.json`, import.meta.url), 'utf8'))
const urls = read('urls') as [url: string, verdict: 'accepted' | 'refused' | 'refused at connecting'][]
const addresses = read('addresses') as { refused: string[]; accepted: string[] }
const strict = { allowPrivate: false }

test('every spelling of an inward, ambiguous or unusable address is refused, and plain ones are not', () => {
  assert.ok(urls.length > 150)
  const wrong = urls.filter(
    ([url, verdict]) => (faultOfReceiverUrl(url, strict) !== undefined) !== (verdict === 'refused'),
  )
  assert.deepEqual(wrong, [])
})

test('every address outside of the public internet is refused, as an answer and as it is written', () => {
  assert.ok(addresses.refused.length > 200)
  assert.deepEqual(
    addresses.refused.filter((address) => isPublicAddress(address)),
    [],
  )
  assert.deepEqual(
    addresses.accepted.filter((address) => !isPublicAddress(address)),
    [],
  )
  const literal = (address: string) => `https://${address.includes(':') ? `[${address}]` : address}/`
  assert.deepEqual(
    addresses.refused.filter((address) => faultOfReceiverUrl(literal(address), strict) === undefined),
    [],
  )
  const canonical = addresses.accepted.filter((address) => new URL(literal(address)).href === literal(address))
  assert.ok(canonical.length > 30)
  assert.deepEqual(
    canonical.filter((address) => faultOfReceiverUrl(literal(address), strict) !== undefined),
    [],
  )
})

test('an IPv4 address within an IPv6 one is judged as itself', () => {
  for (const [address, expected] of [
    ['::ffff:10.0.0.1', false],
    ['::ffff:93.184.216.34', true],
    ['2600::5efe:a00:1', false],
    ['2600::200:5efe:5db8:d822', true],
    ['64:ff9b::5db8:d822', false],
  ] as const) {
    assert.equal(isPublicAddress(address), expected, address)
  }
  const rules = { nat64Prefixes: ['64:ff9b::/96'] }
  assert.equal(isPublicAddress('64:ff9b::5db8:d822', rules), true)
  assert.equal(isPublicAddress('64:ff9b::a00:1', rules), false)
  assert.equal(isPublicAddress('not an address'), false)
})

test('a laboratory may name its own machines, by https all the same', () => {
  const lab = { allowPrivate: true }
  for (const url of ['https://localhost:8443/x', 'https://127.0.0.1/', 'https://[::1]:9443/', 'https://receiver/']) {
    assert.equal(faultOfReceiverUrl(url, lab), undefined, url)
    assert.ok(faultOfReceiverUrl(url, strict), url)
  }
  for (const url of ['http://localhost/', 'https://127.1/', 'https://u@localhost/', 'https://localhost:25/']) {
    assert.ok(faultOfReceiverUrl(url, lab), url)
  }
})

test('the longest address passes and one character more does not', () => {
  const longest = `https://example.com/${'a'.repeat(maximumUrlLength - 20)}`
  assert.equal(longest.length, maximumUrlLength)
  assert.equal(faultOfReceiverUrl(longest, strict), undefined)
  assert.match(faultOfReceiverUrl(`${longest}a`, strict) ?? '', /at most 2048/)
})
