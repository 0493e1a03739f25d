import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { until } from '../../../test/support/muster-process.ts'
import { connectPostgres } from './connect.ts'
import { testMigrations } from './test-schema.ts'
import { transact } from './transact.ts'

const database = testDatabase(testMigrations)

function mailbox() {
  const arrivals = new EventEmitter()
  const received: string[] = []
  const receive = (payload: string) => {
    received.push(payload)
    arrivals.emit('arrival')
  }
  const waitFor = async (count: number) => {
    while (received.length < count) await once(arrivals, 'arrival', { signal: AbortSignal.timeout(120_000) })
  }
  return { received, receive, waitFor }
}

const notify = (channel: string, payload: string) => sql`select pg_notify(${channel}, ${payload})`.execute(database.db)

test('a script of several statements gives the rows of all of them', async () => {
  const rows = await database.connection.executeScript(`
    create table scripted (id int); insert into scripted values (1), (2) returning id; select max(id) from scripted`)
  assert.deepEqual(rows, [{ id: 1 }, { id: 2 }, { max: 2 }])
})

test('a script that fails inside a transaction of its own leaves none open', async () => {
  const script = 'begin; create table half (id int); select 1/0; commit'
  await assert.rejects(database.connection.executeScript(script), { code: '22012' })
  const { rows } = await sql`select to_regclass('half') as half`.execute(database.db)
  assert.deepEqual(rows, [{ half: null }])
})

test('a script inside a transaction is refused', async () => {
  await assert.rejects(
    transact(database.db, () => database.connection.executeScript('select 1')),
    /Query the transaction/,
  )
})

test('notifications reach every listener of the channel until it ends its listening', async () => {
  const [first, second, other] = [mailbox(), mailbox(), mailbox()]
  const stopFirst = await database.connection.listen('Wake "up"', first.receive)
  const stopSecond = await database.connection.listen('Wake "up"', second.receive)
  const stopOther = await database.connection.listen('other', other.receive)
  await notify('Wake "up"', 'one')
  await Promise.all([first.waitFor(1), second.waitFor(1)])
  await stopFirst()
  await notify('Wake "up"', 'two')
  await second.waitFor(2)
  assert.deepEqual([first.received, second.received, other.received], [['one'], ['one', 'two'], []])
  await Promise.all([stopSecond(), stopOther()])
})

test('a notification inside a transaction arrives after its commit and never after its rollback', async () => {
  const { received, receive, waitFor } = mailbox()
  const stop = await database.connection.listen('committed', receive)
  await transact(database.db, async (tx) => {
    await sql`select pg_notify('committed', 'kept')`.execute(tx)
    await pause(50)
    assert.deepEqual(received, [])
  })
  await assert.rejects(
    transact(database.db, async (tx) => {
      await sql`select pg_notify('committed', 'lost')`.execute(tx)
      throw new Error('no')
    }),
  )
  await notify('committed', 'last')
  await waitFor(2)
  assert.deepEqual(received, ['kept', 'last'])
  await stop()
})

testOnPostgres('closing twice is closing once', async () => {
  const connection = await connectPostgres({ url: database.url ?? '' })
  await Promise.all([connection.close(), connection.close()])
  await assert.rejects(sql`select 1`.execute(connection.db))
})

test('a server that cannot be reached is a rejection', async () => {
  await assert.rejects(connectPostgres({ url: 'postgres://nobody@127.0.0.1:1/none' }), { code: 'ECONNREFUSED' })
})

testOnPostgres('who finds every connection in use waits, and who gets one does not', async () => {
  const connection = await connectPostgres({ url: database.url ?? '', maxConnections: 1 })
  const ask = () => sql`select 1`.execute(connection.db)
  const { waiting } = await connection.db.connection().execute(async () => {
    assert.deepEqual(connection.poolUse(), { used: 1, idle: 0, waiting: 0 })
    const asked = ask()
    await until(5_000, async () => connection.poolUse()?.waiting === 1)
    return { waiting: asked }
  })
  await waiting
  assert.deepEqual(connection.poolUse(), { used: 0, idle: 1, waiting: 0 })
  await connection.close()
})

testOnPostgres('sessions run at UTC, without JIT, under a statement timeout', async () => {
  const connection = await connectPostgres({
    url: database.url ?? '',
    statementTimeoutMs: 200,
    applicationName: 'probe',
  })
  const { rows } = await sql`
    select current_setting('TimeZone') as zone, current_setting('jit') as jit,
      current_setting('application_name') as name`.execute(connection.db)
  assert.deepEqual(rows, [{ zone: 'UTC', jit: 'off', name: 'probe' }])
  await assert.rejects(sql`select pg_sleep(5)`.execute(connection.db), { code: '57014' })
  await connection.close()
})

testOnPostgres('lost connections are replaced and listened on again', async () => {
  const connection = await connectPostgres({ url: database.url ?? '', applicationName: 'severed' })
  const { received, receive, waitFor } = mailbox()
  let reconnects = 0
  const stopListening = await connection.listen('after', receive, () => {
    reconnects += 1
  })
  const held = transact(connection.db, async (tx) => {
    await sql`select 1`.execute(tx)
    await pause(300)
    await sql`select 1`.execute(tx)
  })
  held.catch(() => {})
  await pause(50)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'severed'`.execute(
    database.db,
  )
  await assert.rejects(held)
  assert.deepEqual((await sql`select 1 as one`.execute(connection.db)).rows, [{ one: 1 }])
  for (let attempt = 0; received.length === 0; attempt += 1) {
    assert.ok(attempt < 100, 'the listener came back')
    await notify('after', 'again')
    await pause(50)
  }
  await waitFor(1)
  assert.equal(reconnects, 1)
  await stopListening()
  await connection.close()
})

/** The URL of the test's database with parameters. */
const urlWith = (parameters: Record<string, string>): string => {
  const url = new URL(database.url ?? '')
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href.replaceAll('+', '%20')
}

testOnPostgres('parameters of the URL reach the database, and none replaces what values are read by', async () => {
  const url = urlWith({
    options: '-c TimeZone=Asia/Kolkata -c DateStyle=German -c bytea_output=escape -c work_mem=7MB -c jit=on',
    application_name: 'other',
    // Longer than ours: a short one would end the statement that replaces it on a slow machine.
    statement_timeout: '60000',
  })
  const connection = await connectPostgres({ url, applicationName: 'probe' })
  const { rows } = await sql`
    select timestamptz '2026-01-31 09:30:00Z' as at, '\\xff'::bytea as bytes, current_setting('work_mem') as work_mem,
      current_setting('jit') as jit, current_setting('application_name') as name,
      current_setting('statement_timeout') as timeout`.execute(connection.db)
  assert.deepEqual(rows, [
    {
      ...{ at: '2026-01-31T09:30:00.000Z', bytes: Buffer.from([255]), work_mem: '7MB' },
      ...{ jit: 'off', name: 'probe', timeout: '30s' },
    },
  ])
  assert.equal(await connection.describeFault(), undefined)
  await connection.close()
})

testOnPostgres('settings of the database are no obstacle, also for isolated sessions and listeners', async () => {
  const connection = await connectPostgres({ url: database.url ?? '' })
  const isolated = await connection.openIsolated('muster report of a test')
  const { rows } = await sql`select timestamptz '2026-01-31 09:30:00Z' as at`.execute(isolated.db)
  assert.deepEqual(rows, [{ at: '2026-01-31T09:30:00.000Z' }])
  await isolated.close()
  await connection.close()
})

testOnPostgres('a connection whose settings were lost says so', async () => {
  const connection = await connectPostgres({ url: database.url ?? '', maxConnections: 1 })
  await sql`set timezone = 'Asia/Kolkata'`.execute(connection.db)
  assert.match((await connection.describeFault()) ?? '', /^The database loses the setting TimeZone between statements/)
  await connection.close()
})

testOnPostgres('a search_path that leads elsewhere is refused', async () => {
  const url = urlWith({ options: '-c search_path=elsewhere' })
  await assert.rejects(connectPostgres({ url }), /keeps its tables in the schema public, but search_path points to no/)
})

testOnPostgres('a server that is too old is refused with both versions', async () => {
  await database.connection.executeScript(`
    create function public.current_setting(text) returns text language sql as $$
      select case $1 when 'server_version_num' then '140023' when 'server_version' then '14.23 (Debian 14.23-1.pgdg12+1)' end $$`)
  await assert.rejects(connectPostgres({ url: urlWith({ options: '-c search_path=public,pg_catalog' }) }), {
    message:
      'The database is PostgreSQL 14.23, but Muster needs 15 or later. Upgrade the server, or put another one in DATABASE_URL.',
  })
})

testOnPostgres('time limits of the role end no idle session and no wait for a lock', async (t) => {
  const role = `limited_${randomBytes(6).toString('hex')}`
  const limits = ['idle_session_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']
  const { rows: known } = await sql<{ name: string }>`select name from pg_settings where name = any(${limits})`.execute(
    database.db,
  )
  const settings = known.map(({ name }) => `alter role ${role} set ${name} = '70s';`)
  await database.connection.executeScript(`create role ${role} login password 'limited'; ${settings.join(' ')}`)
  t.after(() => database.connection.executeScript(`drop role ${role}`))
  const url = Object.assign(new URL(database.url ?? ''), { username: role, password: 'limited' }).href
  const limitsOf = async (statementTimeoutMs: number) => {
    const connection = await connectPostgres({ url, statementTimeoutMs })
    const { rows } = await sql<{ limits: (string | null)[] }>`
      select array(select current_setting(name, true) from unnest(${limits}::text[]) as name) as limits`.execute(
      connection.db,
    )
    await connection.close()
    return rows[0]?.limits
  }
  const transactionLimit = known.length === limits.length ? '0' : null
  assert.deepEqual(
    await limitsOf(30_000),
    ['0', '0', '1min', transactionLimit],
    'a process that hangs keeps no lock for long',
  )
  assert.deepEqual(await limitsOf(0), ['0', '0', '0', transactionLimit], 'an export waits for its reader')
})
