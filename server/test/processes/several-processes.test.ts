import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import pg from 'pg'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openPostgresPlace, type PostgresPlace } from '../support/postgres-place.ts'

const database = testDatabase()

const passing = { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }
const failing = { rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }

type Client = ReturnType<typeof osqueryClient>
type Parts = { place: PostgresPlace; first: MusterProcess; second: MusterProcess }

testOnPostgres('two servers and a worker on one database', async (t) => {
  const place = openPostgresPlace(t, { url: database.url, db: database.db })
  // All at once, on a database that none of them has seen.
  const [first, second, worker] = await Promise.all([
    place.start(['serve', '--no-worker']),
    place.start(['serve', '--no-worker']),
    place.startWorker(),
  ])
  const parts = { place, first, second }
  const client = await enrolledAt(second, place.enrollSecret, 'PF000001')
  t.after(async () => client.close())

  await t.test('three that start at once make one organization', async () => {
    for (const server of [first, second]) {
      assert.equal((await server.ask('GET', '/whoami', { key: place.key })).status, 200)
    }
    assert.equal((await database.db.selectFrom('organizations').select('id').execute()).length, 1)
  })

  await t.test('a refresh through one reaches a device that polls the other within a second', () =>
    refreshAcross(parts, client, 6),
  )

  await t.test('so it does when every connection that listens is cut', async () => {
    assert.ok((await cutConnections(`query ilike 'listen %'`)) > 0, 'the worker listens for jobs')
    await refreshAcross(parts, client, 2)
    await cutConnections('true')
    // A request that meets a connection just cut is told so; the next has a new one.
    await until(10_000, async () => (await first.ask('GET', '/readyz')).status === 200)
    await refreshAcross(parts, client, 2)
  })

  await t.test('other options through one change what the other hands out', () => changeOptionsAcross(parts, client))

  await t.test('a revoked key is refused by both at once', async () => {
    const { id, key } = await place.addKey()
    const statuses = () =>
      Promise.all([first, second].map(async (server) => (await server.ask('GET', '/whoami', { key })).status))
    assert.deepEqual(await statuses(), [200, 200])
    assert.equal((await place.run(['keys', 'revoke', id])).exit, 0)
    assert.deepEqual(await statuses(), [401, 401])
  })

  await t.test('an emergency rotation by a command is followed by both at once', () => rotateAcross(parts))

  await t.test('the 271st request of a minute is refused, whichever server it meets', () => countAcross(parts))

  await t.test('a worker alone blocks a device when its time has come', () => blockInTime(parts))

  await t.test('each ends cleanly', async () => {
    assert.deepEqual(await Promise.all([first.stop(), second.stop(), worker.stop()]), [0, 0, 0])
  })
})

async function enrolledAt({ origin }: MusterProcess, secret: string, serial: string): Promise<Client> {
  const client = osqueryClient(origin.replace('localhost', '127.0.0.1'))
  assert.ok(
    (await client.enroll(secret, { serial, uuid: `4C4C4544-0042-3510-8056-${serial.padStart(12, '0')}` })).accepted,
  )
  assert.ok((await client.answerAll(() => passing)) >= 8)
  return client
}

/** How many; never the one that asks. */
async function cutConnections(condition: string): Promise<number> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and (${condition})`,
    )
    return rowCount ?? 0
  } finally {
    await client.end()
  }
}

async function idOf({ place, first }: Parts, path: string, query: string): Promise<string> {
  const { body } = await first.ask('GET', `${path}?query=${encodeURIComponent(query)}`, { key: place.key })
  return body.data[0].id
}

/** Resolves to the name of the query. The interval of a check is far longer than it waits for one. */
async function polledUntil(client: Client, isIt: (name: string, sql: string) => boolean): Promise<string> {
  let found: string | undefined
  await until(
    120_000,
    async () => {
      const { queries } = await client.read()
      found = Object.entries(queries).find(([name, sql]) => isIt(name, sql))?.[0]
      return found !== undefined
    },
    100,
  )
  return found ?? ''
}

async function refreshAcross(parts: Parts, client: Client, rounds: number): Promise<void> {
  const { place, first } = parts
  const deviceId = await idOf(parts, '/devices', 'serial:PF000001')
  const checkId = await idOf(parts, '/checks', 'slug:linux-pending-reboot')
  for (let round = 0; round < rounds; round += 1) {
    await pause((round * 170) % 500)
    assert.deepEqual((await client.read()).queries, {})
    const body = { check_id: checkId }
    const refresh = await first.ask('POST', `/devices/${deviceId}/check_refreshes`, { key: place.key, body })
    assert.equal(refresh.status, 200)
    const name = await polledUntil(client, (query) => query.startsWith(`check/${checkId}/`))
    assert.ok((await client.write({ [name]: passing })).accepted)
  }
}

async function changeOptionsAcross(parts: Parts, client: Client): Promise<void> {
  const { place, first } = parts
  const checkId = await idOf(parts, '/checks', 'slug:linux-os-supported')
  const body = { options: { minimum_versions: [{ platform: 'debian', major: 4711, minor: 0 }] } }
  const changed = await first.ask('PATCH', `/checks/${checkId}/configurations`, { key: place.key, body })
  assert.equal(changed.status, 200)
  const name = await polledUntil(client, (_name, sql) => sql.includes('4711'))
  assert.ok((await client.write({ [name]: passing })).accepted)
}

async function rotateAcross({ place, first, second }: Parts): Promise<void> {
  const { key } = await place.addKey()
  const { body: stream } = await first.ask('POST', '/ssf_streams', { key, body: { name: 'Polled' } })
  const poll = async (server: MusterProcess): Promise<Record<string, string>> => {
    const { status, body } = await server.ask('GET', `/ssf_streams/${stream.stream_id}/events`, {
      key: stream.poll_bearer_token,
    })
    assert.equal(status, 200)
    return body.sets
  }
  const verify = async (server: MusterProcess) =>
    assert.ok(
      (await server.ask('POST', '/ssf_streams/verify', { key, body: { stream_id: stream.stream_id } })).status < 300,
    )
  const kidsOf = (sets: Record<string, string>) =>
    new Set(Object.values(sets).map((token) => decodeProtectedHeader(token).kid))

  await verify(first)
  // Each has signed or read with the present key just now, and holds it.
  const before = await poll(first)
  assert.deepEqual(await poll(second), before)
  const { exit, out } = await place.run(['keys', 'rotate-signing', '--emergency'])
  assert.equal(exit, 0)
  const kid = out.trim()
  assert.ok(!kidsOf(before).has(kid))
  for (const server of [second, first]) {
    const after = await poll(server)
    assert.deepEqual([Object.keys(after), [...kidsOf(after)]], [Object.keys(before), [kid]])
    const { body } = await server.ask('GET', '/ssf/jwks.json')
    assert.deepEqual(
      body.keys.map((one: { kid: string }) => one.kid),
      [kid],
    )
  }
}

async function countAcross({ place, first, second }: Parts): Promise<void> {
  const { key } = await place.addKey()
  const ask = (server: MusterProcess | undefined) => (server ?? first).ask('GET', '/whoami', { key })
  const answers = []
  for (let sent = 0; sent < 300; sent += 20) {
    answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, place) => ask([first, second][place % 2])))))
  }
  assert.equal(answers.filter(({ status }) => status === 200).length, 270)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(refused.length, 30)
  for (const { headers } of refused) {
    const [reset, after] = [Number(headers['ratelimit-reset']), Number(headers['retry-after'])]
    assert.ok(reset === after && after >= 1 && after <= 60, `${reset}, ${after}`)
    assert.deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], ['270', '0'])
  }
  const remaining = answers.filter(({ status }) => status === 200).map(({ headers }) => headers['ratelimit-remaining'])
  assert.equal(new Set(remaining).size, 270, 'each was counted by itself')
}

async function blockInTime(parts: Parts): Promise<void> {
  const { place, first, second } = parts
  const client = await enrolledAt(second, place.enrollSecret, 'PF000002')
  const checkId = await idOf(parts, '/checks', 'slug:linux-pending-reboot')
  const deviceId = await idOf(parts, '/devices', 'serial:PF000002')
  const { key } = await place.addKey()
  const body = { check_id: checkId }
  await first.ask('PATCH', `/checks/${checkId}/configurations`, {
    key,
    body: { remediation_strategy: 'warn_then_block' },
  })
  await first.ask('POST', `/devices/${deviceId}/check_refreshes`, { key, body })
  const name = await polledUntil(client, (query) => query.startsWith(`check/${checkId}/`))
  assert.ok((await client.write({ [name]: failing })).accepted)
  client.close()
  const device = () =>
    database.db
      .selectFrom('devices')
      .select(['auth_state', 'will_block_at'])
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow()
  assert.equal((await device()).auth_state, 'will_block')
  // The grace of days passes: nobody calls anything from here on.
  const dueAt = Date.now() + 2_000
  const due = new Date(dueAt).toISOString()
  await database.db.updateTable('issues').set({ blocks_device_at: due }).where('device_id', '=', deviceId).execute()
  await database.db.updateTable('devices').set({ will_block_at: due }).where('id', '=', deviceId).execute()
  await until(20_000, async () => (await device()).auth_state !== 'will_block', 50)
  const lateMs = Date.now() - dueAt
  assert.deepEqual(await device(), { auth_state: 'blocked', will_block_at: null })
  assert.ok(lateMs >= 0, `it was blocked ${lateMs} ms after the moment`)
}
