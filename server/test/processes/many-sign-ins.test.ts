import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMegabytes } from '../../bench/trial/process-usage.ts'
import { watchConnections } from '../../bench/trial/watch-connections.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { extent } from '../support/soak.ts'
import { openTwoServers } from './sign-in-by-turns.ts'
import type { SignInPlace } from './sign-in-place.ts'

const database = testDatabase()
const sessions = extent(100, 1_000)
/** So small that pages which held a connection each would leave none for anyone. */
const pool = 4
/** Of a process: the pool, and one that listens. */
const perProcess = pool + 1
const maxGrownMegabytes = 200

type Visit = Awaited<ReturnType<SignInPlace['onPage']>>

testOnPostgres(
  'as many sign-ins as are open at once each end in one success, and their pages hold no connection',
  async (t) => {
    const { all, byTurns, first, second } = await openTwoServers(t, database, {
      MUSTER_DATABASE_POOL_SIZE: String(pool),
    })
    all.use(byTurns)
    const visits: Visit[] = []
    const memoryBefore = [first, second].map(({ pid }) => residentMegabytes(pid))
    await inTurns(sessions, async (number) => {
      const visit = await (await all.arrive(`10.${number >> 8}.${number & 255}.1`)).begin()
      await visit.post('once-more')
      visits.push(visit)
    })

    const watched = await watchConnections(database.url)
    let heard = 0
    const waiting = visits.map(async (visit) => {
      for (let mark = await visit.markAfter(''), state = ''; state !== 'passed'; ) {
        heard += 1
        mark = await visit.markAfter(mark)
        state = (await visit.region()).state ?? ''
      }
    })
    const allPassed = Promise.all(waiting)
    allPassed.catch(() => {})
    await until(60_000, async () => heard >= sessions)
    // All of them wait now.
    await pause(1_000)
    await inTurns(sessions, async (number) => {
      assert.equal((await (visits[number] as Visit).prove()).state, 'passed')
    })
    await allPassed
    await inTurns(sessions, async (number) => {
      const { status, text } = await all.redeem(await (visits[number] as Visit).finish())
      assert.equal(status, 200, text)
    })
    const most = await watched?.stop()
    const grown = [first, second].map(({ pid }, index) => residentMegabytes(pid) - (memoryBefore[index] ?? 0))
    t.diagnostic(
      `${sessions} sign-ins: at most ${most?.open} connections, ${grown.map((one) => one.toFixed(0)).join(' and ')} MB more`,
    )
    // The test has connections of its own.
    assert.ok((most?.open ?? 0) <= 2 * perProcess + ownConnections, `${most?.open} connections`)
    assert.ok(grown.every((one) => one < maxGrownMegabytes))

    const logs = await database.db.selectFrom('auth_logs').select('result').execute()
    const told = await database.db.selectFrom('events').select('type').where('type', 'like', 'auth_logs.%').execute()
    const ends = [logs.map(({ result }) => result), told.map(({ type }) => type)]
    assert.deepEqual(
      ends.map((one) => one.length),
      [sessions, sessions],
    )
    assert.deepEqual(
      ends.map((one) => [...new Set(one)]),
      [['Success'], ['auth_logs.success']],
    )
  },
)

/** That of the test's pool. */
const ownConnections = 1

/** A browser has to be made for each of them; so many are at it at once. */
async function inTurns(total: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const take = async () => {
    for (let number = next++; number < total; number = next++) await work(number)
  }
  await Promise.all(Array.from({ length: 16 }, take))
}
