import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey, generateToken, isWellFormedKey, isWellFormedToken } from './token-format.ts'

test('a generated key has the documented form and is well formed', () => {
  const keys = Array.from({ length: 200 }, generateKey)
  for (const key of keys) {
    assert.match(key, /^mstr_v1_[0-9A-Za-z]{36}$/)
    assert.ok(isWellFormedKey(key))
  }
  assert.equal(new Set(keys).size, keys.length)
})

test('any single letter changed, left out, doubled or swapped makes a key malformed', () => {
  const key = generateKey()
  for (let index = 0; index < key.length; index += 1) {
    const letter = key[index] ?? ''
    assert.ok(!isWellFormedKey(key.slice(0, index) + (letter === 'a' ? 'b' : 'a') + key.slice(index + 1)), `${index}`)
    assert.ok(!isWellFormedKey(key.slice(0, index) + key.slice(index + 1)))
    assert.ok(!isWellFormedKey(key.slice(0, index) + letter + key.slice(index)))
    const next = key[index + 1] ?? ''
    const swapped = key.slice(0, index) + next + letter + key.slice(index + 2)
    assert.ok(swapped === key || !isWellFormedKey(swapped))
  }
})

test('text of other kinds is not a key', () => {
  for (const text of ['', 'mstr_v1_', 'x'.repeat(44), `${generateKey()}\n`, generateToken('mstr_link')]) {
    assert.ok(!isWellFormedKey(text), text)
  }
  assert.ok(!isWellFormedKey(`mstr_v1_${'é'.repeat(36)}`))
})

test('the checksum of a token covers its prefix', () => {
  const token = generateToken('mstr_link')
  assert.ok(isWellFormedToken('mstr_link', token))
  assert.ok(!isWellFormedToken('mstr_scim', token.replace('link', 'scim')))
})

test('every letter is as likely as the others', () => {
  const counts = new Map<string, number>()
  const samples = 4000
  for (let sample = 0; sample < samples; sample += 1) {
    for (const letter of generateKey().slice(8, 38)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  }
  const expected = (samples * 30) / 62
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  assert.equal(counts.size, 62)
  // 61 degrees of freedom: above 130 once in a million runs. The bias of a plain remainder gives about 800.
  assert.ok(chiSquared < 130, `chi squared is ${chiSquared}`)
})
