import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { connectEmbedded } from '../../src/base/db/connect.ts'
import { entryOf, hashOf, manifestEntry, readArchive, writeArchive } from '../support/backup-archive.ts'
import { openPlace, until } from '../support/muster-process.ts'
import { assertSound } from './told-place.ts'

const settings = {
  MUSTER_MASTER_KEY: randomBytes(32).toString('hex'),
  MUSTER_BASE_URL: 'https://trust.example.com',
  MUSTER_TRUST_PROXY: '127.0.0.1',
  MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme',
}

/** As a later version of Muster would leave it, but for a name that no version has. */
async function addMigrations(dataDir: string): Promise<void> {
  const { executeScript, close } = await connectEmbedded({ dataDir })
  await executeScript(
    `insert into schema_migrations (version, name, checksum)
     values (9998, '9998_' || chr(27) || '[2J.sql', ''), (9999, '9999_later.sql', '')`,
  )
  await close()
}

test('what is no backup, of another key, or would replace something, is refused and leaves nothing', async (t) => {
  const place = openPlace(t, settings)
  const folder = dirname(place.dataDir)
  const file = join(folder, 'backup.tar.gz')
  const none = await place.run(['backup', '--output', file])
  assert.equal(none.exit, 5, none.err)
  const server = await place.start(['serve'])
  const onPostgres = await place.run(['backup', '--output', file], { DATABASE_URL: 'postgres://localhost/muster' })
  assert.match(onPostgres.err, /deploy\/postgres\/backup\.sh/)
  const killed = await place.startCommand(['backup', '--output', file], /^/)
  await until(10_000, async () => (await readdir(folder)).some((name) => name.endsWith('.partial')), 1)
  await killed.kill()
  assert.ok(!existsSync(file))
  // The server hears of the killed command a moment later, and makes one backup at a time.
  await until(10_000, async () => {
    const { exit, err } = await place.run(['backup', '--output', file])
    if (exit !== 0) assert.match(err, /Another backup is being made/)
    return exit === 0
  })
  const again = await place.run(['backup', '--output', file])
  assert.match(again.err, /exists already/)

  const restore = (input: string, name: string, own = {}) =>
    place.run(['restore', '--input', input], { MUSTER_DATA_DIR: join(folder, name), ...own })
  const inUse = await place.run(['restore', '--input', file])
  assert.match(inUse.err, /is in use by process/)
  assert.equal(inUse.exit, 4)
  await server.kill()
  const occupied = await place.run(['restore', '--input', file])
  assert.match(occupied.err, /holds a database already: move it away/)

  const bytes = await readFile(file)
  const cut = join(folder, 'cut.tar.gz')
  await writeFile(cut, bytes.subarray(0, bytes.length - 40_000))
  const changed = join(folder, 'changed.tar.gz')
  await writeFile(
    changed,
    bytes.map((byte, at) => (at === Math.floor(bytes.length / 2) ? byte ^ 1 : byte)),
  )
  const otherKey = { MUSTER_MASTER_KEY: 'ab'.repeat(32) }
  const { manifest, rest } = await readArchive(file)
  const { mac, sizes, ...unsigned } = manifest
  assert.ok(mac !== undefined && sizes !== undefined)
  const replaced = 'pgdata/postgresql.conf'
  const resigned = manifestEntry({ ...manifest, files: { ...manifest.files, [replaced]: hashOf('') } })
  const forged = await writeArchive(join(folder, 'forged.tar.gz'), [
    resigned,
    ...rest.map((entry) => (entry.name === replaced ? entryOf(replaced) : entry)),
  ])
  for (const [input, own, fault] of [
    [forged, {}, /its manifest was changed after it was signed\. Nothing was restored/],
    [cut, {}, /is not a whole backup/],
    [changed, {}, /is not a whole backup/],
    [file, otherKey, /taken with the master key .* but the configured one is/],
    [join(folder, 'absent'), {}, /There is no/],
  ] as const) {
    const refused = await restore(input, 'refused', own)
    assert.match(refused.err, fault)
    assert.notEqual(refused.exit, 0)
    const left = await readdir(join(folder, 'refused', 'database')).catch(() => [])
    assert.deepEqual(left, [], input)
  }

  const newer = join(folder, 'newer.tar.gz')
  await addMigrations(join(place.dataDir, 'database'))
  const alone = await place.run(['backup', '--output', newer])
  assert.equal(alone.exit, 0, alone.err)
  const refused = await restore(newer, 'refused')
  assert.match(
    refused.err,
    /The database is newer than this version of Muster: it has 9998_\ufffd\[2J\.sql.*Nothing was restored/,
  )
  assert.deepEqual(await readdir(join(folder, 'refused', 'database')), [])

  await mkdir(join(folder, 'restored'), { mode: 0o700 })
  // What a killed restore, or a killed creation, leaves.
  const remains = join(folder, 'restored', 'database')
  await mkdir(join(remains, 'pgdata.restoring', 'pgdata'), { recursive: true })
  await mkdir(join(remains, 'pgdata'))
  await mkdir(join(remains, 'pgdata.copy'))
  await writeFile(join(remains, 'pgdata.incomplete'), '')
  const restored = await restore(file, 'restored')
  assert.equal(restored.exit, 0, restored.err)
  assert.equal(restored.err, '')
  assert.deepEqual(await readdir(remains), ['pgdata'])
  await assertSound(place, { MUSTER_DATA_DIR: join(folder, 'restored') })

  // As the first versions of Muster wrote it.
  const early = await writeArchive(join(folder, 'early.tar.gz'), [manifestEntry(unsigned), ...rest])
  const warned = await restore(early, 'early')
  assert.equal(warned.exit, 0, warned.err)
  assert.match(warned.err, /^Warning: the backup is not signed with the master key, .*\n$/)
  assert.match(warned.out, /^Restored the database as it was at \d{4}-/)
  await assertSound(place, { MUSTER_DATA_DIR: join(folder, 'early') })
})
