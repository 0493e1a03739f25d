import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBenchArguments } from './parse-bench-arguments.ts'

test('without arguments everything runs that does not take a quarter of an hour', () => {
  const { figures, isEmbedded, scale } = parseBenchArguments([])
  const numbers = Array.from({ length: 20 }, (_, index) => String(index + 1))
  assert.deepEqual(
    figures,
    numbers.filter((number) => number !== '5'),
  )
  assert.equal(isEmbedded, false)
  assert.equal(scale.devices, 100_000)
})

test('figures are chosen by number, the fleet also by its flag', () => {
  assert.deepEqual(parseBenchArguments(['1', '4']).figures, ['1', '4'])
  assert.deepEqual(parseBenchArguments(['--load']).figures, ['5'])
  assert.deepEqual(parseBenchArguments(['--small', '2', '--load']).figures, ['2', '5'])
})

test('a quick run is a small one on the embedded engine', () => {
  const { isEmbedded, scale } = parseBenchArguments(['--quick'])
  assert.equal(isEmbedded, true)
  assert.deepEqual(scale, parseBenchArguments(['--small']).scale)
})

test('an unknown figure or flag is refused', () => {
  assert.throws(() => parseBenchArguments(['99']), /no figure 99/)
  assert.throws(() => parseBenchArguments(['--fast']), /--fast/)
})
