import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceRegistry } from '../protocol/device-registry.ts'
import { checkInWaits } from './check-in-waits.ts'

const device = (kid: string) => ({ kid, organizationId: '1', deviceId: '7' })
const longSeconds = 600

/** Whether each wait has ended, once what was due has run. */
async function haveEnded(waits: readonly Promise<void>[]): Promise<boolean[]> {
  const ended = waits.map(() => false)
  for (const [at, wait] of waits.entries()) {
    void wait.then(() => {
      ended[at] = true
    })
  }
  await new Promise((resolve) => setImmediate(resolve))
  return ended
}

test('a wait ends at a notice to its device or organization, and at none to another', async () => {
  const registry = deviceRegistry()
  const { waitForNews, stop } = checkInWaits(registry)
  const [gone, kept] = [new AbortController(), new AbortController()]
  const waits = [
    waitForNews(device('a'), longSeconds, kept.signal),
    waitForNews({ ...device('b'), deviceId: '8' }, longSeconds, kept.signal),
    waitForNews({ ...device('c'), organizationId: '2' }, longSeconds, kept.signal),
    waitForNews({ ...device('d'), deviceId: '9' }, longSeconds, gone.signal),
  ]
  assert.deepEqual(await haveEnded(waits), [false, false, false, false])
  registry.takeNotice('1', '7')
  assert.deepEqual(await haveEnded(waits), [true, false, false, false])
  gone.abort()
  registry.takeNotice('2', null)
  assert.deepEqual(await haveEnded(waits), [true, false, true, true])
  stop()
  await Promise.all(waits)
  await waitForNews(device('e'), longSeconds, kept.signal)
})

test('a key has one connection: its second wait ends the first, and waits itself', async () => {
  const registry = deviceRegistry()
  const { waitForNews } = checkInWaits(registry)
  const { signal } = new AbortController()
  const waits = [waitForNews(device('a'), longSeconds, signal), waitForNews(device('a'), longSeconds, signal)]
  assert.deepEqual(await haveEnded(waits), [true, false])
  registry.takeNotice('1', '7')
  assert.deepEqual(await haveEnded(waits), [true, true])
})
