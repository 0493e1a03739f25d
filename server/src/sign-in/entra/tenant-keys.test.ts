import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { entraStandIn } from '../../../test/support/entra-stand-in.ts'
import { hourMs, plusMs } from '../../base/time.ts'
import { KeysUnavailable, tenantKeys } from './tenant-keys.ts'

const entra = entraStandIn()

let now = '2026-11-20T10:00:00.000Z'
const pass = (ms: number): void => {
  now = plusMs(now, ms)
}
const opened = () => tenantKeys(() => now, entra.fetchDocument)
/** Reading the keys of a cloud asks twice: for the metadata, and for the keys. */
const readings = (): number => entra.asked.length / 2

beforeEach(async () => {
  await entra.heal()
  entra.asked.length = 0
})

test('strangers who name keys that do not exist have a cloud asked once a minute, however many they are', async () => {
  const find = opened()
  const named = Array.from({ length: 200 }, (_, index) => find('global', `random-${index}`))
  assert.deepEqual(new Set(await Promise.all(named)), new Set([undefined]))
  assert.equal(readings(), 1)
  for (let index = 0; index < 20; index += 1) assert.equal(await find('global', `again-${index}`), undefined)
  assert.equal(readings(), 1)
  pass(60_000)
  await find('global', 'later')
  assert.equal(readings(), 2)
})

test('each cloud has keys of its own, read twice a day', async () => {
  const find = opened()
  assert.ok(await find('global', 'global-1'))
  assert.ok(await find('china', 'china-1'))
  assert.equal(await find('us_government', 'global-1'), undefined)
  assert.equal(readings(), 3)
  pass(11 * hourMs)
  await find('global', 'global-1')
  assert.equal(readings(), 3)
  pass(hourMs)
  await find('global', 'global-1')
  assert.equal(readings(), 4)
})

test('while a cloud cannot be reached its keys are used for three days, and it is asked once a minute', async () => {
  const find = opened()
  assert.ok(await find('global', 'global-1'))
  entra.breakDown()
  pass(71 * hourMs)
  for (let index = 0; index < 10; index += 1) assert.ok(await find('global', 'global-1'))
  assert.equal(entra.asked.length, 3)
  pass(hourMs)
  await assert.rejects(find('global', 'global-1'), KeysUnavailable)
  await entra.heal()
  pass(60_000)
  assert.ok(await find('global', 'global-1'))
})

test('while a cloud is not asked again, each failure still says why its keys could not be read', async () => {
  let cause = 'getaddrinfo ENOTFOUND login.microsoftonline.com'
  let asked = 0
  const find = tenantKeys(
    () => now,
    async () => {
      asked += 1
      throw new Error(cause)
    },
  )
  const failure = () => find('global', 'global-1').catch((error: unknown) => error as Error)
  const messageOf = (error: unknown) => ((error as Error).cause as Error).message
  for (const seconds of [0, 30, 29]) {
    pass(seconds * 1_000)
    const error = await failure()
    assert.ok(error instanceof KeysUnavailable)
    assert.equal(messageOf(error), cause)
  }
  assert.equal(asked, 1)
  pass(1_000)
  cause = 'connect ETIMEDOUT'
  assert.equal(messageOf(await failure()), cause)
  assert.equal(asked, 2)
})

test('metadata that names keys of another host has no keys', async () => {
  const evil = { jwks_uri: 'https://evil.example/keys' }
  const find = tenantKeys(
    () => now,
    async (url) => {
      assert.match(url, /^https:\/\/login\.microsoftonline\.com\//)
      return Response.json(evil)
    },
  )
  await assert.rejects(find('global', 'global-1'), KeysUnavailable)
})
