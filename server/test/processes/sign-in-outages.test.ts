import assert from 'node:assert/strict'
import { connectPostgres } from '../../src/base/db/connect.ts'
import type { Db } from '../../src/base/db/transact.ts'
import { answerOfProof } from '../support/answer-of-proof.ts'
import { testOnPostgres } from '../support/database.ts'
import { openHookReceiver } from '../support/hook-receivers.ts'
import { freePort, until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { openBrokerPlace, reachingProviders } from './broker-place.ts'
import { trustingReceivers } from './outlive-kills.ts'
import { openOwnCluster } from './own-cluster.ts'
import { openSignInPlace } from './sign-in-place.ts'

type Answer = { status: number; text: string }

testOnPostgres('a sign-in by an upstream outlives its database at each step', async (t) => {
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const { db, close } = await connectPostgres({ url: cluster.url })
  t.after(close)
  const port = String(await freePort())
  const baseUrl = `http://localhost:${port}`
  const reached = { ...trustingReceivers(t), ...reachingProviders, MUSTER_BASE_URL: baseUrl }
  const settings = { ...reached, MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' }
  const place = openPostgresPlace(t, { url: cluster.url, db }, settings)
  const server = await place.start(['serve'], { PORT: port })
  const receiver = await openHookReceiver()
  t.after(() => receiver.close())
  const events = ['auth_logs.success', 'auth_logs.failure']
  const asked = { key: place.key, body: { url: receiver.localUrl, events } }
  assert.equal((await server.ask('POST', '/webhook_endpoints', asked)).status, 200)
  const all = await openSignInPlace(t, { place, server, baseUrl })
  const broker = await openBrokerPlace(t, all)

  /** Takes the step while the database is gone, which leaves nothing, and again once it is back. */
  async function without<Step>(step: () => Promise<Step>, answerOf: (step: Step) => Answer): Promise<Step> {
    const before = await writtenIn(db)
    await cluster?.stop()
    const { status, text } = answerOf(await step())
    assert.equal(status, 503, text)
    assert.doesNotMatch(text, /ECONN|postgres|stack|\.ts:/i)
    await cluster?.start()
    await until(30_000, async () => (await server.ask('GET', '/readyz')).status === 200)
    assert.deepEqual(await writtenIn(db), before, 'nothing is half written')
    return step()
  }
  const asIs = (answer: Answer): Answer => answer
  const led = ({ reply, away }: { reply: Answer; away?: string }): Answer => {
    assert.equal(away, undefined)
    return reply
  }

  const arrived = broker.arrive()
  const { away = '' } = await without(arrived.leave, led)
  const callback = await arrived.signIn(away)
  await without(() => arrived.browser.follow(callback), led)
  const visit = await arrived.onPage(callback)
  await without(() => visit.browser.go(visit.path), asIs)
  const { text: given } = await without(() => visit.post('challenge'), asIs)
  const proof = await visit.proofOf((JSON.parse(given) as { challenge: string }).challenge)
  const proved = await without(() => visit.post('proof', { proof }), asIs)
  assert.deepEqual(answerOfProof(proved.text), { state: 'passed' })
  const region = await without(() => visit.browser.go(`${visit.path}/region`), asIs)
  assert.match(region.text, /data-state="passed"/)
  const path = await visit.finishPath()
  const answered = await without(() => visit.browser.follow(path), led)
  const token = await without(() => broker.redeem(answered.away), asIs)
  assert.equal(token.status, 200, token.text)

  const { sessions, logs } = await writtenIn(db)
  assert.deepEqual([sessions, logs], [1, ['Success']])
  await until(30_000, async () => receiver.received.length > 0)
  const sent = await db.selectFrom('webhook_deliveries').select('message_id').execute()
  assert.deepEqual([sent.length, new Set(receiver.received.map(({ id }) => id)).size], [1, 1])
  assert.deepEqual([...new Set(receiver.received.map(({ event }) => event))], ['auth_logs.success'])
})

/** What sign-ins have left so far. */
async function writtenIn(db: Db) {
  const sessions = await db.selectFrom('signin_sessions').select(['id', 'state', 'revision', 'leg_hash']).execute()
  const logs = await db.selectFrom('auth_logs').select('result').execute()
  const steps = await db.selectFrom('auth_log_events').select('type').orderBy('type').execute()
  const told = await db.selectFrom('events').select('type').where('type', 'like', 'auth_logs.%').execute()
  const kept = await db.selectFrom('oidc_records').select('kind').orderBy('kind').execute()
  return {
    ...{ sessions: sessions.length, states: sessions.map((one) => ({ ...one, leg_hash: one.leg_hash !== null })) },
    ...{ logs: logs.map(({ result }) => result), steps, told, kept },
  }
}
