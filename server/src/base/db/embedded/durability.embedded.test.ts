import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, mock, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { extent } from '../../../../test/support/soak.ts'
import { completeFolder, DurableFileSystem, durableOptions, prepareFolder } from './durable-file-system.ts'

const kills = extent(5, 20)

const folders: string[] = []
after(() => folders.map((folder) => fs.rmSync(folder, { recursive: true, force: true })))

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'muster-durability-'))
  folders.push(folder)
  return folder
}

const scriptOf = (name: string) => fileURLToPath(new URL(`./test-processes/${name}.ts`, import.meta.url))

/** Reads what a writer says: first what it found, then the numbers acknowledged. */
function follow(writer: ChildProcess) {
  const said: string[] = []
  if (!writer.stdout) throw new Error('The writer has no output')
  const lines = createInterface({ input: writer.stdout })
  lines.on('line', (line) => said.push(line))
  const hasSaid = async (count: number) => {
    while (said.length < count) await once(lines, 'line', { signal: AbortSignal.timeout(120_000) })
  }
  return { said, hasSaid, ended: once(lines, 'close') }
}

test('kills under write load lose nothing that was acknowledged', async () => {
  const folder = newFolder()
  let acknowledged = 0
  for (let kill = 0; kill <= kills; kill += 1) {
    const writer = spawn(process.execPath, [scriptOf('write-until-killed'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { said, hasSaid, ended } = follow(writer)
    // At varying points within a statement or a transaction, after a varying number of them.
    await hasSaid(2 + ((kill * 7) % 40))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
    writer.kill('SIGKILL')
    await ended
    const found = JSON.parse(said[0] ?? '{}') as { count: string; max: number; halves: string }
    assert.ok(found.max >= acknowledged, `kill ${kill}: found ${found.max}, acknowledged ${acknowledged}`)
    assert.equal(found.count, String(found.max), 'no gap')
    assert.equal(found.halves, '0', 'no half of a transaction')
    acknowledged = Number(said.at(-1))
  }
  assert.ok(acknowledged > 10 * kills)
})

/** The rows that a copy holding only what was synced, as after a power failure, still has. */
async function rowsAfterPowerFailure(makeOptions: (folder: string) => PGliteOptions, rows: number): Promise<number> {
  const [folder, durable] = [newFolder(), newFolder()]
  prepareFolder(folder)
  const engine = await PGlite.create(makeOptions(folder))
  await engine.exec('create table numbers (value int primary key); checkpoint')
  completeFolder(folder)
  fs.cpSync(folder, durable, { recursive: true })
  const sync = fs.fsyncSync
  const keep = mock.method(fs, 'fsyncSync', (descriptor: number) => {
    sync(descriptor)
    const file = fs.readlinkSync(`/proc/self/fd/${descriptor}`)
    const copy = path.join(durable, path.relative(folder, file))
    if (fs.statSync(file).isFile()) fs.copyFileSync(file, copy)
  })
  for (let value = 1; value <= rows; value += 1) await engine.query('insert into numbers values ($1)', [value])
  keep.mock.restore()
  const survivor = await PGlite.create(durableOptions(new DurableFileSystem(path.join(durable, 'pgdata'))))
  const { rows: counted } = await survivor.query<{ count: number }>('select count(*)::int as count from numbers')
  await survivor.close()
  await engine.close()
  return counted[0]?.count ?? 0
}

const skip = process.platform !== 'linux' && 'follows descriptors through procfs'

test('a power failure loses no acknowledged commit', { skip }, async () => {
  const durable = (folder: string) => durableOptions(new DurableFileSystem(path.join(folder, 'pgdata')))
  assert.equal(await rowsAfterPowerFailure(durable, 60), 60)
})

test('the file system of the package alone would lose them all', { skip }, async () => {
  const stock = (folder: string) => ({ fs: new NodeFS(path.join(folder, 'pgdata')) })
  assert.equal(await rowsAfterPowerFailure(stock, 60), 0)
})

test('a creation that was interrupted starts over', async () => {
  const folder = newFolder()
  prepareFolder(folder)
  fs.mkdirSync(path.join(folder, 'pgdata'))
  fs.writeFileSync(path.join(folder, 'pgdata', 'PG_VERSION'), '17\n')
  assert.deepEqual(prepareFolder(folder), { isNew: true })
  assert.equal(fs.existsSync(path.join(folder, 'pgdata')), false)
})

test('a disk that fails is an error at once, and the next use recovers', async () => {
  const folder = newFolder()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', scriptOf('break-fsync'), scriptOf('write-on-a-broken-disk'), path.join(folder, 'data')],
    { timeout: 60_000, env: { ...process.env, BREAK_FSYNC_WHILE: path.join(folder, 'broken') } },
  )
  const { failure, values, heard } = JSON.parse(stdout) as { failure: string; values: number[]; heard: string[] }
  assert.match(failure, /The embedded database failed/)
  // The commit in between was not acknowledged, so either outcome is right.
  assert.deepEqual(
    values.filter((value) => value !== 2),
    [1, 3],
  )
  assert.deepEqual(heard, ['after'])
})
