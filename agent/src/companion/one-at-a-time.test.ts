import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAtATime } from './one-at-a-time.ts'

/** Work that ends when it is told, and counts how often and how many at once it runs. */
function workOf() {
  const runs: PromiseWithResolvers<number>[] = []
  const counts = { begun: 0, atOnce: 0, most: 0 }
  const ask = oneAtATime(async () => {
    counts.begun += 1
    counts.atOnce += 1
    counts.most = Math.max(counts.most, counts.atOnce)
    const run = Promise.withResolvers<number>()
    runs.push(run)
    try {
      return await run.promise
    } finally {
      counts.atOnce -= 1
    }
  })
  return { ask, runs, counts }
}

test('a hundred who ask at once have two runs, one after the other, and none an answer from before it asked', async () => {
  const { ask, runs, counts } = workOf()
  const first = ask()
  const others = Array.from({ length: 99 }, () => ask())
  assert.equal(counts.begun, 1)
  runs[0]?.resolve(1)
  assert.equal(await first, 1)
  const late = ask()
  while (runs.length < 2) await Promise.resolve()
  runs[1]?.resolve(2)
  assert.deepEqual(new Set(await Promise.all([...others, late])), new Set([2]))
  assert.deepEqual(counts, { begun: 2, atOnce: 0, most: 1 })
})

test('a run that fails fails for those who share it, and the next begins all the same', async () => {
  const { ask, runs, counts } = workOf()
  const first = ask()
  const second = ask()
  runs[0]?.reject(new Error('hangs'))
  await assert.rejects(first, /hangs/)
  while (runs.length < 2) await Promise.resolve()
  runs[1]?.resolve(2)
  assert.equal(await second, 2)
  assert.equal(counts.most, 1)
})
