import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Connection, connectPostgres } from '../../src/base/db/connect.ts'
import { campaignLoad } from '../support/campaign-load.ts'
import { testOnPostgres } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'

import { type OwnCluster, openOwnCluster } from './own-cluster.ts'

/** What a statement is given, and a moment for a machine that is busy. */
const answeredWithinMs = 35_000 + 15_000
const clients = 50

testOnPostgres('a server goes on beside connections that do not answer', async (t) => {
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const own = await connectPostgres({ url: cluster.url })
  const place = openPostgresPlace(t, { url: cluster.url, db: own.db }, { MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' })
  const server = await place.start(['serve'])
  const backends = backendsOf(cluster, own)
  const isReady = async () => (await server.ask('GET', '/readyz')).status === 200
  const device = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  t.after(async () => device.close())
  assert.ok((await device.enroll(place.enrollSecret)).accepted)
  const load = campaignLoad(server, {
    ...{ key: place.key, clients, writerEvery: 5, reads: ['/devices', '/whoami'] },
    // All at the same moment would be one statement.
    staggerMs: 40,
  })

  await t.test('one that does not answer holds up what waits for it, and nothing else', async () => {
    await load.during(3_000)
    await backends.stopIdle()
    const { statuses } = await load.during(5_000)
    t.diagnostic(describe(statuses))
    // What came with the one statement, and before the next began beside it.
    assert.ok((statuses.get(503) ?? 0) <= clients / 5, describe(statuses))
    assert.ok((statuses.get(200) ?? 0) > clients, describe(statuses))
    assert.equal(await isReady(), true)
    await backends.continueAll()
    await load.during(2_000)
  })

  await t.test('all of them, one after another: not ready, 503 and no more, and well once they are gone', async () => {
    const running = load.begin()
    await pause(1_000)
    const stopped = stopEach(backends)
    let readyAgainMs = 0
    await until(60_000, async () => !(await isReady()), 500)
    assert.equal((await stopped).length > 1, true)
    // Those are closed, and there are others in their place.
    const startedAt = performance.now()
    let said: unknown
    const isReadyAgain = async () => {
      readyAgainMs = performance.now() - startedAt
      const { status, body } = await server.ask('GET', '/readyz')
      said = body
      return status === 200
    }
    await until(120_000, isReadyAgain, 500).catch((cause) =>
      assert.fail(`${cause.message} The server said: ${JSON.stringify(said)}`),
    )
    await backends.continueAll()
    await pause(2_000)
    const { statuses, oldestMs } = await running.end()
    t.diagnostic(
      `ready after ${Math.round(readyAgainMs)} ms; oldest request ${Math.round(oldestMs)} ms; ${describe(statuses)}`,
    )
    for (const status of statuses.keys()) assert.ok([200, 503].includes(status), describe(statuses))
    assert.ok(oldestMs < 2 * answeredWithinMs, `${oldestMs} ms`)
    const after = await load.during(3_000)
    assert.deepEqual([...after.statuses.keys()], [200], describe(after.statuses))
  })

  await t.test('what was acknowledged is there once, and what was not is there once at most', async () => {
    const { rows } = await sql<{ name: string; count: number; entries: number }>`
      select name, count(*)::integer as count from live_query_campaigns group by name`.execute(own.db)
    const found = new Map(rows.map(({ name, count }) => [name, count]))
    assert.ok(load.acknowledged.size > 0)
    for (const name of load.acknowledged) assert.equal(found.get(name), 1, name)
    for (const [name, count] of found) assert.ok(count === 1 && load.asked.has(name), `${name}: ${count}`)
  })

  await backends.continueAll()
  await own.close()
  assert.equal(await server.stop(), 0)
})

const describe = (statuses: Map<number, number>) => JSON.stringify(Object.fromEntries(statuses))

/** The server's processes for a server of Muster; the one that listens is left out. */
function backendsOf({ run }: OwnCluster, { db }: Connection) {
  const stopped = new Set<number>()
  const signal = async (name: string, ids: readonly number[]) => {
    if (ids.length > 0) await run('kill', `-${name}`, ...ids.map(String))
  }
  async function stop(count: number): Promise<number[]> {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where application_name = 'muster serve' and query not ilike 'listen%'
        and pid <> all(${[...stopped]}::int[])
      order by state_change desc limit ${count}`.execute(db)
    const ids = rows.map(({ pid }) => pid)
    for (const id of ids) stopped.add(id)
    await signal('STOP', ids)
    return ids
  }
  return {
    stop,
    /** Stops one that holds no locks: whoever waits for what it has locked waits for it as well. */
    async stopIdle(): Promise<void> {
      await until(30_000, async () => {
        const [id] = await stop(1)
        if (id === undefined) return false
        const { rows } = await sql`select from pg_stat_activity where pid = ${id} and state = 'idle'`.execute(db)
        if (rows.length > 0) return true
        stopped.delete(id)
        await signal('CONT', [id])
        return false
      })
    },
    async continueAll(): Promise<void> {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_stat_activity where pid = any(${[...stopped]}::int[])`.execute(db)
      stopped.clear()
      await signal(
        'CONT',
        rows.map(({ pid }) => pid),
      )
    },
  }
}

async function stopEach(backends: ReturnType<typeof backendsOf>): Promise<number[]> {
  const stopped: number[] = []
  for (let calm = 0; calm < 3; ) {
    const ids = await backends.stop(1)
    stopped.push(...ids)
    calm = ids.length === 0 ? calm + 1 : 0
    await pause(200)
  }
  return stopped
}
