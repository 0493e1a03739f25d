import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { openHookReceiver } from '../support/hook-receivers.ts'
import { freePort, type MusterProcess, until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { extent } from '../support/soak.ts'
import { openBrokerPlace, reachingProviders } from './broker-place.ts'
import { trustingReceivers } from './outlive-kills.ts'
import { openSignInPlace } from './sign-in-place.ts'
import { assertEachEndedOnce, signInStubbornly } from './sign-in-stubbornly.ts'

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
    const reached = { ...trustingReceivers(t), ...reachingProviders, MUSTER_BASE_URL: baseUrl }
    const settings = { ...reached, MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' }
    const place = openPostgresPlace(t, { url: database.url, db: database.db }, settings)
    const start = (port: string) => place.start(['serve', '--no-worker'], { PORT: port })
    const running: Running[] = []
    for (const port of ports) running.push({ server: await start(port), port })
    const [{ server: first }] = running as [Running]
    const receiver = await openHookReceiver()
    t.after(() => receiver.close())
    const body = { url: receiver.localUrl, events: ['auth_logs.success', 'auth_logs.failure'] }
    assert.equal((await first.ask('POST', '/webhook_endpoints', { key: place.key, body })).status, 200)
    await place.startWorker()
    const all = await openSignInPlace(t, { place, server: first, baseUrl })
    const broker = await openBrokerPlace(t, all)

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
            // Few enough by the upstream for one network.
            const arriving = begun % 3 === 0 ? broker : all
            outcomes.push(await signInStubbornly(arriving, step))
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
    await assertEachEndedOnce(db, signIns)
    const messages = () => new Set(receiver.received.map(({ id }) => id))
    await until(60_000, async () => messages().size >= signIns)
    const deliveries = await db.selectFrom('webhook_deliveries').select('message_id').execute()
    assert.deepEqual([deliveries.length, messages().size], [signIns, signIns], 'one message for each sign-in')
    assert.deepEqual([...new Set(receiver.received.map(({ event }) => event))], ['auth_logs.success'])
  },
)
