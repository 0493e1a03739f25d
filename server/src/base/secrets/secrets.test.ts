import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { UnsealError } from './sealing.ts'
import { openSecrets } from './secrets.ts'

const masterKey = Buffer.alloc(32, 1)
const secrets = openSecrets(masterKey)
const others = openSecrets(Buffer.alloc(32, 2))
const place = ['7', '42', 'api_key']

test('the derived values stay those that databases already hold', () => {
  assert.equal(secrets.fingerprint, '4c4daa21dc3a191af0317aa8841776e3')
  assert.equal(
    secrets.lookupHash('api_key', 'token').toString('hex'),
    '2ffc59a38dcf512a0af5c2b8ab29fc7a7097c6aa0950e4daab71a92569ffcd71',
  )
  assert.equal(secrets.sign('cursor', 'message').toString('hex'), '86ff12664430ce7693911c3972eb2549')
  assert.equal(
    secrets
      .unseal(
        Buffer.from(
          '01d662504eeab6ab3fbbc7125c097d697af82b6b0a67974ca4907887fcf2ed64b90592fd9de2b1713db062de140a38db8efda0b4f8bb139acdf6cdf2df',
          'hex',
        ),
        place,
      )
      .toString(),
    'kept since the first release',
  )
})

test('a sealed text opens in its own place with its own key, and never looks the same twice', () => {
  for (const text of ['', 'secret', 'ключ 🔑', 'x'.repeat(100_000)]) {
    const sealed = secrets.seal(text, place)
    assert.equal(secrets.unseal(sealed, place).toString('utf8'), text)
    assert.notDeepEqual(secrets.seal(text, place), sealed)
  }
  const bytes = randomBytes(257)
  assert.deepEqual(secrets.unseal(new Uint8Array(secrets.seal(bytes, place)), place), bytes)
})

test('a sealed value with any byte changed, cut or added is refused', () => {
  const sealed = secrets.seal('a secret of some length', place)
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed)
    altered[index] = (altered[index] ?? 0) ^ 1
    assert.throws(() => secrets.unseal(altered, place), UnsealError, `byte ${index}`)
    assert.throws(() => secrets.unseal(sealed.subarray(0, index), place), UnsealError, `cut at ${index}`)
  }
  assert.throws(() => secrets.unseal(Buffer.concat([sealed, Buffer.of(0)]), place), UnsealError)
})

test('another record, organization, purpose or split of the same letters is refused', () => {
  const sealed = secrets.seal('secret', place)
  for (const elsewhere of [
    ['7', '43', 'api_key'],
    ['8', '42', 'api_key'],
    ['7', '42', 'webhook'],
    ['74', '2', 'api_key'],
    [],
    ['7', '42'],
  ]) {
    assert.throws(() => secrets.unseal(sealed, elsewhere), /altered or belongs to another record/)
  }
})

test('another master key is named as the reason', () => {
  assert.throws(() => others.unseal(secrets.seal('secret', place), place), /another master key/)
  assert.notEqual(others.fingerprint, secrets.fingerprint)
})

test('look-up hashes depend on master key, purpose and token, and are not signatures', () => {
  const hashes = [
    secrets.lookupHash('api_key', 'token'),
    secrets.lookupHash('api_key', 'token2'),
    secrets.lookupHash('node_key', 'token'),
    others.lookupHash('api_key', 'token'),
  ]
  assert.equal(new Set(hashes.map((hash) => hash.toString('hex'))).size, 4)
  assert.ok(hashes.every((hash) => hash.length === 32))
  assert.notDeepEqual(secrets.lookupHash('api_key', 'token').subarray(0, 16), secrets.sign('api_key', 'token'))
})

test('a signature holds for its purpose, message and master key, and for whole bytes only', () => {
  const code = secrets.sign('cursor', 'message')
  assert.equal(code.length, 16)
  assert.ok(secrets.verify('cursor', 'message', code))
  assert.ok(secrets.verify('cursor', Buffer.from('message'), new Uint8Array(code)))
  assert.ok(!secrets.verify('query_name', 'message', code))
  assert.ok(!secrets.verify('cursor', 'message2', code))
  assert.ok(!others.verify('cursor', 'message', code))
  assert.ok(!secrets.verify('cursor', 'message', code.subarray(0, 15)))
  assert.ok(!secrets.verify('cursor', 'message', Buffer.alloc(0)))
  for (let index = 0; index < code.length; index += 1) {
    const altered = Buffer.from(code)
    altered[index] = (altered[index] ?? 0) ^ 128
    assert.ok(!secrets.verify('cursor', 'message', altered), `byte ${index}`)
  }
})

test('a master key of another length is refused', () => {
  assert.throws(() => openSecrets(Buffer.alloc(31)), /32 bytes/)
})
