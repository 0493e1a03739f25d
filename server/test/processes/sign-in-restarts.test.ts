import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { testOnPostgres } from '../support/database.ts'
import { freePort } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { extent } from '../support/soak.ts'
import { openBrokerPlace, reachingProviders } from './broker-place.ts'
import { openOwnCluster } from './own-cluster.ts'
import { openSignInPlace, type overHttp } from './sign-in-place.ts'
import { assertEachEndedOnce, type Step, signInStubbornly } from './sign-in-stubbornly.ts'

const signIns = extent(30, 100)
const atOnce = 2
/** Between two restarts, and at most so many tries of a step: the database is back within a second. */
const [betweenMs, tries] = [400, 400]

testOnPostgres('of a database that restarts at random moments, each sign-in ends once', async (t) => {
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const port = String(await freePort())
  const baseUrl = `http://localhost:${port}`
  const { db, close } = await connectPostgres({ url: cluster.url })
  t.after(close)
  const settings = { ...reachingProviders, MUSTER_RATE_LIMIT_PER_MINUTE: '1000000', MUSTER_BASE_URL: baseUrl }
  const place = openPostgresPlace(t, { url: cluster.url, db }, settings)
  const server = await place.start(['serve', '--no-worker'], { PORT: port })
  const all = await openSignInPlace(t, { place, server, baseUrl, through: whenServed })
  const broker = await openBrokerPlace(t, all)

  let [isOver, restarts, begun] = [false, 0, 0]
  async function restartAgainAndAgain(): Promise<void> {
    while (!isOver) {
      await pause(betweenMs * Math.random())
      await cluster?.restart()
      restarts += 1
    }
  }
  async function signInAgainAndAgain(): Promise<void> {
    while (begun < signIns) {
      begun += 1
      await signInStubbornly(begun % 3 === 0 ? broker : all, step)
    }
  }
  const restarting = restartAgainAndAgain()
  try {
    await Promise.all(Array.from({ length: atOnce }, signInAgainAndAgain))
  } finally {
    isOver = true
    await restarting
  }
  t.diagnostic(`${signIns} sign-ins, ${restarts} restarts`)
  await assertEachEndedOnce(db, signIns)
})

const step: Step = async (work) => {
  for (let turn = 1; ; turn += 1) {
    try {
      return await work()
    } catch (error) {
      if (turn === tries || error instanceof assert.AssertionError) throw error
      await pause(50)
    }
  }
}

/** What is answered 503 is to be asked again, as the page does. */
function whenServed(web: ReturnType<typeof overHttp>): ReturnType<typeof overHttp> {
  type Inject = (asked: unknown) => Promise<{ statusCode: number; payload: string }>
  const reach = web.inject as unknown as Inject
  const inject: Inject = async (asked) => {
    const answer = await reach(asked)
    if (answer.statusCode === 503) throw new Error(`Not served: ${answer.payload}`)
    return answer
  }
  return { inject } as unknown as ReturnType<typeof overHttp>
}
