import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { signInBrowser } from '../../../test/support/sign-in-browser.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { newCause } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { identifySession } from './upstream-legs.ts'

const { stage, setUp, addStillUpstream } = signInStage()

/** An application whose people an upstream signs in, and browsers that are there with accounts of Ana's address. */
async function start() {
  const set = await setUp({ connection: { upstreamId: await addStillUpstream() } })
  const arrive = async (subject: string) => {
    const { away = '' } = await signInBrowser(stage.app).follow(
      set.rp.addressOf(set.rp.plainRequest(set.connection.clientId)),
    )
    const [id = ''] = new URL(away).searchParams.get('state')?.split('.') ?? []
    const said = { issuer: 'https://id.example', subject, address: 'ana@example.com', said: {} }
    /** `meanwhile` runs before the transaction ends. */
    const identify = (meanwhile = async () => {}) =>
      transact(stage.db, async (tx) => {
        const place = { organizationId: set.organizationId, id }
        const state = await identifySession(tx, place, said, { ...newCause(), now: stage.now() })
        await meanwhile()
        return state
      })
    return identify
  }
  const bound = async () =>
    (await stage.db.selectFrom('person_identities').select('subject').execute()).map(({ subject }) => subject)
  return { arrive, bound }
}

test('of two accounts with one address that arrive first at once, one is the person’s', async () => {
  const { arrive, bound } = await start()
  const [first, second] = [await arrive('ana-1'), await arrive('ana-2')]
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const held = first(() => {
    begun.resolve()
    return ended.promise
  })
  await begun.promise
  const meanwhile = second()
  // Long enough for it to be bound as well, were it not waiting.
  await Promise.race([meanwhile, delay(500)])
  ended.resolve()
  assert.deepEqual([await held, await meanwhile], ['looking', 'unknown_person'])
  assert.deepEqual(await bound(), ['ana-1'])
})

test('of many that arrive at once, one is', async () => {
  const { arrive, bound } = await start()
  const accounts: Awaited<ReturnType<typeof arrive>>[] = []
  for (let number = 0; number < 8; number += 1) accounts.push(await arrive(`ana-${number}`))
  const states = await Promise.all(accounts.map((identify) => identify()))
  assert.equal(states.filter((state) => state === 'looking').length, 1)
  assert.equal((await bound()).length, 1)
})

test('the same account that arrives twice at once is the person’s in both', async () => {
  const { arrive, bound } = await start()
  const both = [await arrive('ana-1'), await arrive('ana-1')]
  assert.deepEqual(await Promise.all(both.map((identify) => identify())), ['looking', 'looking'])
  assert.deepEqual(await bound(), ['ana-1'])
})
