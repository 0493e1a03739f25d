import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { restBetweenCheckIns } from './rest-between-check-ins.ts'

test('a wake ends the pause also right after there was something to tell, but not twice in a minute', async (t) => {
  const ending = new AbortController()
  t.after(() => ending.abort())
  const { pause, tellNow, wake, isAwake } = restBetweenCheckIns(ending.signal)
  const endsBy = (act: () => void, withinMs = 10_000): Promise<boolean> => {
    const ended = Promise.race([pause(600_000).then(() => true), sleep(withinMs, false, { signal: ending.signal })])
    act()
    return ended
  }
  for (const act of [tellNow, tellNow, wake]) assert.equal(await endsBy(act), true)
  assert.equal(isAwake(), true)
  assert.equal(await endsBy(wake, 50), false)
})

test('a wake while the server is being called ends the pause that follows, and no other', async (t) => {
  const ending = new AbortController()
  t.after(() => ending.abort())
  const { pause, wake } = restBetweenCheckIns(ending.signal)
  const isOverWithin = (ms: number) =>
    Promise.race([pause(600_000).then(() => true), sleep(ms, false, { signal: ending.signal })])
  wake()
  assert.equal(await isOverWithin(10_000), true)
  assert.equal(await isOverWithin(50), false)
})

test('a companion stays awake for ten minutes after the last sign-in', (t) => {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  const { wake, isAwake } = restBetweenCheckIns(new AbortController().signal)
  assert.equal(isAwake(), false)
  wake()
  nowMs += 30_000
  wake()
  nowMs += 599_999
  assert.equal(isAwake(), true, 'a wake within a minute of another counts, too')
  nowMs += 1
  assert.equal(isAwake(), false)
})
