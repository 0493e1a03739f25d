import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { noticeSleep } from './notice-sleep.ts'

const everyMs = 1

/** A clock that continues by a second at each look, and by what is put in. */
function clockOf() {
  let nowMs = 1_795_000_000_000
  return {
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

const until = async (isDone: () => boolean) => {
  while (!isDone()) await sleep(everyMs)
}

test('a request that the device slept through is told once for each sleep', async () => {
  const { now, pass } = clockOf()
  const { promise, resolve } = Promise.withResolvers<string>()
  let wakes = 0
  const noted = noticeSleep(promise, { onWake: () => (wakes += 1), now, everyMs })
  pass(8 * 3_600_000)
  await until(() => wakes === 1)
  await sleep(20)
  assert.equal(wakes, 1)
  pass(60_000)
  await until(() => wakes === 2)
  resolve('answered')
  assert.equal(await noted, 'answered')
})

test('a busy machine and a clock that is set back are no sleep, and nothing is watched once the answer is there', async () => {
  const { now, pass } = clockOf()
  const { promise, reject } = Promise.withResolvers<string>()
  let wakes = 0
  const noted = noticeSleep(promise, { onWake: () => (wakes += 1), now, everyMs })
  for (const ms of [5_000, -3_600_000, 19_000]) {
    pass(ms)
    await sleep(10)
  }
  reject(new Error('no answer'))
  await assert.rejects(noted, /no answer/)
  pass(3_600_000)
  await sleep(10)
  assert.equal(wakes, 0)
})
