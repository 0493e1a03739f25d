import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  type ArchiveEntry,
  entryOf,
  manifestEntry,
  manifestOf,
  writeArchive,
} from '../../../test/support/backup-archive.ts'
import { CommandError } from '../command-error.ts'
import { largestManifest } from './backup-format.ts'
import { unpackBackup } from './unpack-backup.ts'

const files = { 'pgdata/PG_VERSION': '18', 'pgdata/base/1': 'rows' }
const listed = Object.entries(files).map(([name, content]) => entryOf(name, content))
const sizes = { 'pgdata/': 0, 'pgdata/base/': 0, 'pgdata/empty/': 0, 'pgdata/PG_VERSION': 2, 'pgdata/base/1': 4 }
const folder = (name: string): ArchiveEntry => ({ name, type: 'directory' })
const folders = ['pgdata/', 'pgdata/base/', 'pgdata/empty/'].map(folder)
const first = manifestOf(files)
const sized = { ...first, sizes }
const zeros = Buffer.alloc(20_000_000)

/** Unpacks the entries; what came of it, and what was written. */
async function unpack(t: TestContext, entries: readonly ArchiveEntry[], accept = async () => {}) {
  const place = await mkdtemp(join(tmpdir(), 'muster-unpack-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  const input = await writeArchive(join(place, 'backup.tar.gz'), entries)
  const target = join(place, 'restoring')
  await mkdir(target)
  const { signal } = new AbortController()
  const fault = await unpackBackup({ input, folder: target, accept, signal }).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { fault, target, written: (await readdir(target, { recursive: true })).toSorted() }
}

test('a whole backup is unpacked with its empty folders, with the sizes that it lists and without', async (t) => {
  for (const manifest of [first, sized]) {
    const { fault, target, written } = await unpack(t, [manifestEntry(manifest), ...folders, ...listed])
    assert.equal(fault, undefined)
    assert.deepEqual(written, ['pgdata', 'pgdata/PG_VERSION', 'pgdata/base', 'pgdata/base/1', 'pgdata/empty'])
    assert.equal(await readFile(join(target, 'pgdata/base/1'), 'utf8'), 'rows')
  }
})

test('an entry that is not as it is listed is refused before a byte of it is written', async (t) => {
  const link: ArchiveEntry = { name: 'pgdata/base/1', type: 'symlink', linkname: '/etc/passwd' }
  for (const [manifest, entry, reason] of [
    [first, entryOf('pgdata/unlisted', zeros), 'pgdata/unlisted is not listed in it'],
    [sized, entryOf('pgdata/unlisted', zeros), 'pgdata/unlisted is not listed in it'],
    [sized, entryOf('pgdata/base/1', zeros), 'pgdata/base/1 has 20000000 bytes instead of 4'],
    [sized, folder('pgdata/other/'), 'pgdata/other/ is not listed in it'],
    [first, folder('other/'), 'other/ is not listed in it'],
    [first, folder('pgdata/../../other/'), 'pgdata/../../other/ is not listed in it'],
    [first, folder('pgdata/base/1'), 'pgdata/base/1 is not listed in it'],
    [first, entryOf('../outside'), '../outside is not listed in it'],
    [first, entryOf('pgdata/./base/1', 'rows'), 'pgdata/./base/1 is not listed in it'],
    [first, manifestEntry(first), 'manifest.json is not listed in it'],
    [first, entryOf('\u001b[2J\u009b2J', zeros), '\ufffd[2J\ufffd2J is not listed in it'],
    [first, link, 'pgdata/base/1 is neither a file nor a folder'],
  ] as const) {
    const { fault, written } = await unpack(t, [manifestEntry(manifest), entry, ...folders, ...listed])
    assert.ok(fault instanceof CommandError)
    assert.match(fault.message, /backup\.tar\.gz is not a whole backup of Muster: .*\. Nothing was restored$/)
    assert.ok(fault.message.includes(`: ${reason}. `), fault.message)
    assert.deepEqual(written, [], reason)
  }
})

test('a name that comes twice, or not at all, is refused', async (t) => {
  const [version = entryOf(''), rows = entryOf('')] = listed
  for (const [entries, reason] of [
    [[version, version, rows], /: pgdata\/PG_VERSION comes twice\./],
    [[version, ...folders, ...folders], /: pgdata\/ comes twice\./],
    [[version, rows], /: pgdata\/ is missing\./],
    [[...folders, version], /: pgdata\/base\/1 is missing\./],
    [[], /: pgdata\/ is missing\./],
  ] as const) {
    const { fault } = await unpack(t, [manifestEntry(sized), ...entries])
    assert.match(String(fault), reason)
  }
  const { fault } = await unpack(t, [manifestEntry(first)])
  assert.match(String(fault), /: pgdata\/PG_VERSION is missing\. Nothing was restored$/)
})

test('folders have a limit where a backup does not list them', async (t) => {
  const many = Array.from({ length: 1_001 }, (_, number) => folder(`pgdata/${number}/`))
  const { fault } = await unpack(t, [manifestEntry(first), ...many, ...listed])
  assert.match(String(fault), /: pgdata\/1000\/ is not listed in it\./)
})

test('nothing is unpacked unless the archive begins with a manifest that is accepted', async (t) => {
  const unread = /: it has no manifest that this version of Muster reads\./
  const strange = (name: string) => manifestOf({ ...files, [name]: '' })
  for (const [entries, reason] of [
    [[], /: it is empty\./],
    [[...listed, manifestEntry(first)], /: it does not begin with a manifest\./],
    [[folder('manifest.json'), ...listed], /: it does not begin with a manifest\./],
    [[entryOf('manifest.json', Buffer.alloc(largestManifest + 1)), ...listed], /: its manifest has more than 8388608 /],
    [[entryOf('manifest.json', '{'), ...listed], unread],
    [[manifestEntry({ ...first, version: 2 }), ...listed], unread],
    [[manifestEntry({ ...first, taken_at: '\u001b[2J' }), ...listed], unread],
    [[manifestEntry({ ...first, master_key_fingerprint: '\u001b[2J' }), ...listed], unread],
    [[manifestEntry({ ...first, muster: '\u001b[2J' }), ...listed], unread],
    [[manifestEntry({ ...first, last_migration: '\u001b[2J' }), ...listed], unread],
    [[manifestEntry({ ...first, mac: '\u001b[2J' }), ...listed], unread],
    [[manifestEntry(strange('pgdata/\u001b[2J')), ...listed], unread],
    [[manifestEntry(strange('pgdata/../other')), ...listed], unread],
    [[manifestEntry(strange('pgdata//other')), ...listed], unread],
    [[manifestEntry(strange('pgdata/..\\other')), ...listed], unread],
    [[manifestEntry(strange('pgdata/other:stream')), ...listed], unread],
    [[manifestEntry(strange('other')), ...listed], unread],
    [[manifestEntry({ ...sized, sizes: { ...sizes, 'pgdata/more': 1 } }), ...listed], unread],
    [[manifestEntry({ ...first, sizes: { 'pgdata/': 0 } }), ...listed], unread],
    [[manifestEntry(manifestOf({}))], /: it holds no database\./],
  ] as const) {
    const { fault, written } = await unpack(t, entries)
    assert.match(String(fault), reason)
    assert.deepEqual(written, [])
  }
  const refused = await unpack(t, [manifestEntry(sized), ...folders, ...listed], async () => {
    throw new Error('The key cannot be read')
  })
  assert.equal(String(refused.fault), 'Error: The key cannot be read')
  assert.deepEqual(refused.written, [])
})

test('a reason is cut where an archive makes it long', async (t) => {
  const { fault } = await unpack(t, [manifestEntry(first), entryOf(`pgdata/${'x'.repeat(100_000)}`)])
  assert.ok(fault instanceof CommandError)
  assert.ok(fault.message.length < 1_000)
})
