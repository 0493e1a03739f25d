import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readInTurns } from './read-in-turns.ts'

test('who asks during a read gets the one after it, which they share', async () => {
  const begun: (() => void)[] = []
  let value = 0
  const read = readInTurns<number>(async () => {
    const now = value
    await new Promise<void>((resolve) => begun.push(resolve))
    return now
  })
  const first = read('1')
  value = 1
  const [second, third] = [read('1'), read('1')]
  assert.equal(begun.length, 1)
  begun[0]?.()
  assert.equal(await first, 0)
  await new Promise(setImmediate)
  assert.equal(begun.length, 2, 'two of them share a read')
  value = 2
  const fourth = read('1')
  begun[1]?.()
  assert.deepEqual([await second, await third], [1, 1])
  await new Promise(setImmediate)
  begun[2]?.()
  assert.equal(await fourth, 2)
  assert.equal(begun.length, 3)
})

test('a read that fails fails those who wait for it, and the next one begins', async () => {
  let isBroken = true
  const read = readInTurns<string>(async (key) => {
    if (isBroken) throw new Error('broken')
    return key
  })
  const first = read('1')
  const second = read('1')
  await assert.rejects(first, /broken/)
  await assert.rejects(second, /broken/)
  isBroken = false
  assert.deepEqual(await Promise.all([read('1'), read('2')]), ['1', '2'])
})
