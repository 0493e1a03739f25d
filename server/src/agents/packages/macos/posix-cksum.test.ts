import assert from 'node:assert/strict'
import { test } from 'node:test'
import { posixCksum } from './posix-cksum.ts'

function cksumOf(...pieces: readonly Uint8Array[]): number {
  const sum = posixCksum()
  for (const piece of pieces) sum.update(piece)
  return sum.digest()
}

const counting = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 251))
const countingSum = 3_902_980_679

test('a checksum is what the cksum command prints', () => {
  assert.equal(cksumOf(), 4_294_967_295)
  assert.equal(cksumOf(Buffer.from('123456789')), 930_766_865)
  assert.equal(cksumOf(Buffer.alloc(300)), 351_385_237)
  assert.equal(cksumOf(counting), countingSum)
})

test('pieces of every length come to the same, wherever in the memory they lie', () => {
  for (const length of [1, 3, 7, 8, 9, 4096, 65_536]) {
    const pieces = []
    for (let at = 0; at < counting.length; at += length) pieces.push(counting.subarray(at, at + length))
    assert.equal(cksumOf(...pieces), countingSum, `pieces of ${length}`)
  }
})

test('asking for the checksum does not change it', () => {
  const sum = posixCksum()
  sum.update(Buffer.from('12345'))
  assert.equal(sum.digest(), sum.digest())
  sum.update(Buffer.from('6789'))
  assert.equal(sum.digest(), 930_766_865)
})
