import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, generateRecoveryCodes, readRecoveryCode, stepOfCode, totpCode, totpUri } from './totp.ts'

/** RFC 6238 appendix B, SHA-1, the last six of its eight digits. */
const secret = Buffer.from('12345678901234567890')
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

test('codes are those of the specification', () => {
  for (const [seconds, code] of vectors) assert.equal(totpCode(secret, Math.floor(seconds / 30)), code)
})

test('a code is good in its time step and its neighbours', () => {
  const first = 1_111_111_080
  const at = (seconds: number) => stepOfCode(secret, '081804', new Date((first + seconds) * 1_000).toISOString())
  assert.deepEqual([-30, -1, 0, 29, 30, 59].map(at), Array(6).fill(first / 30))
  assert.deepEqual([at(-31), at(60)], [undefined, undefined])
  for (const text of ['', '28708', '2870822', 'abcdef', '２８７０８２']) {
    assert.equal(stepOfCode(secret, text, '1970-01-01T00:00:59.000Z'), undefined, text)
  }
})

test('secrets are written as apps read them', () => {
  assert.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  assert.equal(base32(Buffer.from('foobar')), 'MZXW6YTBOI')
  const uri = totpUri(secret, { email: 'maya@acme.example', organization: 'A: B & C' })
  const url = new URL(uri)
  assert.equal(decodeURIComponent(url.pathname), '/Muster (A  B & C):maya@acme.example')
  assert.deepEqual(Object.fromEntries(url.searchParams), { secret: base32(secret), issuer: 'Muster (A  B & C)' })
})

test('a recovery code is read as people type it', () => {
  const codes = generateRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) {
    assert.match(code, /^[a-z2-7]{5}-[a-z2-7]{5}$/)
    assert.equal(readRecoveryCode(` ${code.toUpperCase().replace('-', ' ')} `), code)
  }
  assert.equal(readRecoveryCode('287082'), undefined)
})
