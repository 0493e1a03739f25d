import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectEmbedded, type EmbeddedConnection, type EmbeddedSettings } from '../connect.ts'
import { transact } from '../transact.ts'

const open: EmbeddedConnection[] = []
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'muster-engine-'))
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()))
})
after(() => fs.rmSync(root, { recursive: true, force: true }))

/** Creating a database takes seconds, opening a copy of one a fraction of one. */
let blank: Uint8Array<ArrayBuffer>
before(async () => {
  const connection = await connectEmbedded()
  await connection.executeScript('create extension pg_trgm')
  blank = await connection.snapshot()
  await connection.close()
})

async function connect(settings: EmbeddedSettings): Promise<EmbeddedConnection> {
  const connection = await connectEmbedded({ snapshot: blank, ...settings })
  open.push(connection)
  return connection
}

const count = async ({ db }: EmbeddedConnection) =>
  Number((await sql<{ count: string }>`select count(*) from notes`.execute(db)).rows[0]?.count)

const createNotes = 'create table notes (id int generated always as identity primary key, text text)'
const megabyte = 2 ** 20
/** Made by the first test that uses it: creating a folder takes a second or two. */
const shared = path.join(root, 'made', 'on demand')

test('a transaction left open is rolled back at its time limit and its holder is told', async () => {
  const connection = await connect({ transactionTimeLimitMs: 150 })
  await connection.executeScript(createNotes)
  const held = transact(connection.db, async (tx) => {
    await sql`insert into notes (text) values ('lost')`.execute(tx)
    await pause(400)
    await sql`insert into notes (text) values ('too late')`.execute(tx)
  })
  held.catch(() => {})
  await pause(30)
  const startedAt = performance.now()
  assert.equal(await count(connection), 0, 'others wait, then run')
  assert.ok(performance.now() - startedAt > 50)
  await assert.rejects(held, { code: '25P04', message: /open longer than 0.15 seconds/ })
  assert.equal(await count(connection), 0)
})

test('a transaction past its limit cannot commit what is left of it', async () => {
  const connection = await connect({ transactionTimeLimitMs: 50 })
  await connection.executeScript(createNotes)
  const held = transact(connection.db, async (tx) => {
    await sql`insert into notes (text) values ('lost')`.execute(tx)
    await pause(150)
    await sql`insert into notes (text) values ('swallowed')`.execute(tx).catch(() => {})
  })
  await assert.rejects(held, { code: '25P04' })
  assert.equal(await count(connection), 0)
})

test('statements of others wait for an open transaction and keep their order', async () => {
  const connection = await connect({})
  await connection.executeScript(createNotes)
  const add = (text: string) => sql`insert into notes (text) values (${text})`
  const held = transact(connection.db, async (tx) => {
    await add('first').execute(tx)
    await pause(50)
    await add('second').execute(tx)
  })
  await pause(20)
  await Promise.all([held, ...['third', 'fourth', 'fifth'].map((text) => add(text).execute(connection.db))])
  const { rows } = await sql<{ text: string }>`select text from notes order by id`.execute(connection.db)
  assert.deepEqual(
    rows.map(({ text }) => text),
    ['first', 'second', 'third', 'fourth', 'fifth'],
  )
})

test('the main thread keeps its timers while the engine computes', async () => {
  const connection = await connect({})
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 10)
  await sql`select count(*) from generate_series(1, 3000000)`.execute(connection.db)
  clearInterval(timer)
  // In the thread of the engine there would be none.
  assert.ok(ticks >= 3, `${ticks} ticks`)
})

test('what was written is there after a clean close', async () => {
  const dataDir = shared
  const first = await connect({ dataDir })
  await first.executeScript(`${createNotes}; insert into notes (text) values ('kept')`)
  await first.close()
  await assert.rejects(count(first), /closed/)
  const second = await connect({ dataDir })
  assert.equal(await count(second), 1)
})

test('a folder written by another version of PostgreSQL is refused, untouched', async () => {
  const dataDir = shared
  await (await connect({ dataDir })).close()
  const file = path.join(dataDir, 'pgdata', 'PG_VERSION')
  const version = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, '12\n')
  await assert.rejects(connectEmbedded({ dataDir }), /was written by PostgreSQL 12, and the embedded engine is \d+/)
  fs.writeFileSync(file, version)
  await (await connect({ dataDir })).close()
})

test('a snapshot opens as a database of its own', async () => {
  const source = await connect({})
  await source.executeScript(`${createNotes}; insert into notes (text) values ('copied')`)
  const snapshot = await source.snapshot()
  const dataDir = path.join(root, 'restored')
  const copies = await Promise.all([connect({ snapshot }), connect({ snapshot, dataDir })])
  for (const copy of copies) {
    await sql`insert into notes (text) values ('more')`.execute(copy.db)
    assert.equal(await count(copy), 2)
    assert.deepEqual((await sql`select similarity('muster', 'mustard') > 0.3 as alike`.execute(copy.db)).rows, [
      { alike: true },
    ])
  }
  assert.equal(await count(source), 1)
})

test('a second opener is refused and told who holds the folder', async () => {
  const dataDir = shared
  const first = await connect({ dataDir })
  await assert.rejects(connectEmbedded({ dataDir }), new RegExp(`in use by process ${process.pid}`))
  const code = `
    import { connectEmbedded } from ${JSON.stringify(new URL('../connect.ts', import.meta.url).href)}
    await connectEmbedded({ dataDir: ${JSON.stringify(dataDir)} }).then(() => console.log('opened'), (error) => console.log(error.message))`
  const said = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', code], { encoding: 'utf8' })
  assert.match(said, new RegExp(`The data folder ${dataDir} is in use by process ${process.pid}: stop it`))
  await first.close()
  await (await connect({ dataDir })).close()
})

test('the lock of a dead process, of a reused pid, and a broken one are taken over', async () => {
  const dataDir = shared
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'exit')
  const lock = { pid: dead.pid, startedAt: '', host: os.hostname(), token: 'old' }
  const stale = [
    JSON.stringify(lock),
    JSON.stringify({ ...lock, pid: process.ppid, startedAt: 'another boot/1' }),
    '{"pid"',
  ]
  for (const content of stale) {
    fs.writeFileSync(path.join(dataDir, 'muster.lock'), content)
    await (await connect({ dataDir })).close()
    assert.deepEqual(fs.readdirSync(dataDir), ['pgdata'])
  }
})

test('the lock of another host holds as long as it is being touched', async () => {
  const dataDir = shared
  const file = path.join(dataDir, 'muster.lock')
  fs.writeFileSync(file, JSON.stringify({ pid: 7, startedAt: '', host: 'elsewhere', token: 'theirs' }))
  await assert.rejects(connectEmbedded({ dataDir }), /in use by process 7 on elsewhere/)
  const longAgo = new Date(Date.now() - 120_000)
  fs.utimesSync(file, longAgo, longAgo)
  await (await connect({ dataDir })).close()
})

/** A file system of its own small size; mounting one takes root. Gone with the test that asks for it. */
function mountSmallDisk(bytes: number): string | undefined {
  const folder = fs.mkdtempSync(path.join(root, 'small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'none', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  after(() => execFileSync('umount', ['--lazy', folder]))
  return folder
}

test('a disk filling up refuses writes before it is full, serves reads, and recovers', async (context) => {
  const disk = mountSmallDisk(192 * megabyte)
  if (!disk) return context.skip('mounting a small disk needs root')
  const connection = await connect({ dataDir: path.join(disk, 'data'), minimumFreeBytes: 48 * megabyte })
  await connection.executeScript(createNotes)
  const filler = path.join(disk, 'filler')
  const { bavail, bsize } = fs.statfsSync(disk)
  fs.writeFileSync(filler, Buffer.alloc(bavail * bsize - 40 * megabyte))
  const add = () => sql`insert into notes (text) values (${'x'})`.execute(connection.db)
  await assert.rejects(add, { code: '53100', message: /Only \d+ MB are free .*writes are refused below 48 MB/ })
  await assert.rejects(
    transact(connection.db, (tx) => sql`delete from notes`.execute(tx)),
    { code: '53100' },
  )
  assert.equal(await count(connection), 0)
  fs.rmSync(filler)
  await add()
  assert.equal(await count(connection), 1)
})

test('a transaction that was open when the disk filled up can no longer write', async (context) => {
  const disk = mountSmallDisk(160 * megabyte)
  if (!disk) return context.skip('mounting a small disk needs root')
  const connection = await connect({ dataDir: path.join(disk, 'data'), minimumFreeBytes: 24 * megabyte })
  await connection.executeScript(createNotes)
  const filler = path.join(disk, 'filler')
  const work = transact(connection.db, async (tx) => {
    await sql`insert into notes (text) values ('before')`.execute(tx)
    const { bavail, bsize } = fs.statfsSync(disk)
    fs.writeFileSync(filler, Buffer.alloc(bavail * bsize - 20 * megabyte))
    await sql`insert into notes (text) values ('after')`.execute(tx)
  })
  await assert.rejects(work, { code: '53100' })
  fs.rmSync(filler)
  assert.equal(await count(connection), 0)
})

test('the write-ahead log stays short however much is written', async () => {
  const dataDir = path.join(root, 'busy')
  const connection = await connect({ dataDir })
  await connection.executeScript(createNotes)
  for (let round = 0; round < 25; round += 1) {
    await sql`insert into notes (text) select repeat('x', 1000) from generate_series(1, 10000)`.execute(connection.db)
  }
  const segments = fs.readdirSync(path.join(dataDir, 'pgdata', 'pg_wal')).filter((name) => name.length === 24)
  assert.ok(segments.length <= 12, `${segments.length} segments of 16 MB after writing 270 MB`)
})

test('a statement that needs more than the heap may take fails, and the next one runs', async () => {
  const unbounded = await connect({})
  assert.equal(unbounded.heapUse()?.main, 128 * megabyte)
  const maxHeapBytes = 160 * megabyte
  const connection = await unbounded.openIsolated('reports', maxHeapBytes)
  const repeat = (megabytes: number) => sql`select length(repeat('x', ${megabytes * megabyte}::int))`
  await repeat(1).execute(connection.db)
  await assert.rejects(repeat(200).execute(connection.db), { code: '53200' })
  const collected = sql`select cardinality(array_agg(repeat(md5(n::text), 30000))) from generate_series(1, 300) as n`
  await assert.rejects(collected.execute(connection.db), { code: '53200' })
  await repeat(20).execute(connection.db)
  assert.ok(Number(unbounded.heapUse()?.isolated) <= maxHeapBytes)
  await repeat(200).execute(unbounded.db)
  assert.ok(Number(unbounded.heapUse()?.main) > 300 * megabyte)
})
