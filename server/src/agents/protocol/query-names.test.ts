import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { parseQueryName, queryName } from './query-names.ts'

const secrets = openSecrets(randomBytes(32))
const device = { organizationId: '1', deviceId: '23' }
const issuedAtMs = Date.parse('2026-11-20T10:00:00.000Z')
const query = { kind: 'check', id: '812', revision: '3', issuedAtMs } as const
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Of a text that ends with 16 bytes as base64url, whose last four bits mean nothing. */
const otherSpellings = (text: string) =>
  Array.from({ length: 15 }, (_, bits) => text.slice(0, -1) + letters[letters.indexOf(text.at(-1) ?? '') ^ (bits + 1)])
const name = queryName(secrets, device, query)

test('a name says what was asked to the device that was asked', () => {
  assert.match(name, /^check\/812\/3\/[0-9a-z]+\/[\w-]{22}$/)
  assert.deepEqual(parseQueryName(secrets, device, name, issuedAtMs + 1_000), query)
})

test('another device, organization or key cannot use the name', () => {
  const others = [
    { organizationId: '1', deviceId: '24' },
    { organizationId: '2', deviceId: '23' },
    { organizationId: '12', deviceId: '3' },
  ]
  for (const other of others) assert.equal(parseQueryName(secrets, other, name, issuedAtMs), undefined)
  assert.equal(parseQueryName(openSecrets(randomBytes(32)), device, name, issuedAtMs), undefined)
})

test('a live query is told from a check with the same numbers', () => {
  const live = { ...query, kind: 'campaign' } as const
  const liveName = queryName(secrets, device, live)
  assert.match(liveName, /^campaign\/812\/3\/[0-9a-z]+\/[\w-]{22}$/)
  assert.deepEqual(parseQueryName(secrets, device, liveName, issuedAtMs), live)
})

test('a changed name is none of ours', () => {
  const changed = [
    name.replace('check/', 'campaign/'),
    name.replace('/812/', '/813/'),
    name.replace('/3/', '/4/'),
    name.replace(issuedAtMs.toString(36), (issuedAtMs + 1).toString(36)),
    `${name}A`,
    // The same bytes in other letters.
    ...otherSpellings(name),
    name.slice(0, -1),
    name.toUpperCase(),
    'check/812/v2',
    'campaign/55',
    '',
    'x'.repeat(100_000),
  ]
  for (const other of changed)
    assert.equal(parseQueryName(secrets, device, other, issuedAtMs), undefined, other.slice(0, 80))
})

test('a name that is remembered is taken without its code', () => {
  const stranger = openSecrets(randomBytes(32))
  assert.deepEqual(parseQueryName(stranger, device, name, issuedAtMs, true), query)
  assert.equal(parseQueryName(stranger, device, 'check/812/v2', issuedAtMs, true), undefined)
  assert.equal(parseQueryName(stranger, device, name, issuedAtMs + 86_400_001, true), undefined)
})

test('a name ends after a day', () => {
  const dayMs = 86_400_000
  assert.deepEqual(parseQueryName(secrets, device, name, issuedAtMs + dayMs), query)
  assert.equal(parseQueryName(secrets, device, name, issuedAtMs + dayMs + 1), undefined)
})
