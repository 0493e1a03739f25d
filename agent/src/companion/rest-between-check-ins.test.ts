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
