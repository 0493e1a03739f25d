import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { freePort, type MusterProcess } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { extent } from '../support/soak.ts'
import { openSignInPlace, type SignInPlace } from './sign-in-place.ts'

const database = testDatabase()
const signIns = extent(40, 100)
const atOnce = 2
/** Between two kills, and at most so many tries of a step: a process is back within seconds. */
const [betweenMs, tries] = [150, 400]

type Running = { server: MusterProcess; port: string }

testOnPostgres(
  'of two servers that are killed at random, each sign-in ends once, with as many codes as successes',
  async (t) => {
    const ports = [String(await freePort()), String(await freePort())]
    const baseUrl = `http://localhost:${ports[0]}`
    const settings = { MUSTER_RATE_LIMIT_PER_MINUTE: '1000000', MUSTER_BASE_URL: baseUrl }
    const place = openPostgresPlace(t, { url: database.url, db: database.db }, settings)
    const start = (port: string) => place.start(['serve', '--no-worker'], { PORT: port })
    const running: Running[] = []
    for (const port of ports) running.push({ server: await start(port), port })
    const all = await openSignInPlace(t, { place, server: running[0]?.server as MusterProcess, baseUrl })

    let [isOver, kills] = [false, 0]
    async function killAgainAndAgain(): Promise<void> {
      while (!isOver) {
        await pause(betweenMs * Math.random())
        const victim = running[kills % running.length] as Running
        await victim.server.kill()
        kills += 1
        victim.server = await start(victim.port)
      }
    }
    /** A step by any of the two, taken again by any of them when its process is killed meanwhile. */
    async function step<Answer>(work: () => Promise<Answer>): Promise<Answer> {
      for (let turn = 1; ; turn += 1) {
        all.use((running[Math.floor(Math.random() * running.length)] as Running).server)
        try {
          return await work()
        } catch (error) {
          if (turn === tries || error instanceof assert.AssertionError) throw error
          await pause(50)
        }
      }
    }

    const killing = killAgainAndAgain()
    const outcomes: ('code' | 'answered')[] = []
    let begun = 0
    try {
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (begun < signIns) {
            begun += 1
            outcomes.push(await signIn(all, step))
          }
        }),
      )
    } finally {
      isOver = true
      await killing
    }
    t.diagnostic(
      `${signIns} sign-ins, ${kills} kills: ${outcomes.filter((one) => one === 'code').length} codes arrived`,
    )

    const { db } = database
    const answered = await db
      .selectFrom('signin_sessions')
      .select('auth_log_id')
      .where('answered_at', 'is not', null)
      .execute()
    const codes = await db
      .selectFrom('oidc_records')
      .select('grant_id')
      .where('kind', '=', 'AuthorizationCode')
      .execute()
    const logs = await db.selectFrom('auth_logs').select('id').where('result', '=', 'Success').execute()
    const told = await db.selectFrom('events').select('type').where('type', 'like', 'auth_logs.%').execute()
    const ends = await db
      .selectFrom('auth_log_events')
      .select('auth_log_id')
      .where('type', '=', 'sign_in_success')
      .execute()
    const counts = [answered, codes, logs, told, ends].map((rows) => rows.length)
    assert.deepEqual(
      counts,
      Array.from({ length: 5 }, () => signIns),
    )
    assert.deepEqual(new Set(ends.map((row) => row.auth_log_id)), new Set(logs.map(({ id }) => id)))
    assert.equal(new Set(codes.map((row) => row.grant_id)).size, signIns)
    assert.deepEqual([...new Set(told.map(({ type }) => type))], ['auth_logs.success'])
  },
)

/** One person's way to the application. `answered`: a kill took the code away after it was committed. */
async function signIn(
  all: SignInPlace,
  step: <Answer>(work: () => Promise<Answer>) => Promise<Answer>,
): Promise<'code' | 'answered'> {
  // A request counts once: one whose process was killed after it was taken is sent anew by the application.
  const visit = await step(async () => (await all.arrive()).begin().catch(again))
  // One person signs in again and again here, which is a loop where people are.
  await step(() => visit.post('once-more'))
  for (let turn = 0; turn < 20 && (await step(visit.region)).state !== 'passed'; turn += 1) await step(visit.prove)
  const path = await step(visit.finishPath)
  const { reply, away } = await step(() => visit.browser.follow(path))
  if (away !== undefined) {
    assert.match(away, /[?&]code=/)
    return 'code'
  }
  assert.match(reply.text, /got its answer/, `${reply.status} ${reply.text}`)
  return 'answered'
}

const again = (error: unknown): never => {
  throw error instanceof assert.AssertionError
    ? new Error('The request was used up by a process that was killed')
    : error
}
