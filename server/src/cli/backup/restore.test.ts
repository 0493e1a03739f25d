import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  type ArchiveEntry,
  entryOf,
  hashOf,
  manifestEntry,
  manifestOf,
  writeArchive,
} from '../../../test/support/backup-archive.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import type { CommandIo } from '../data-command.ts'
import { describeFailure } from '../describe-failure.ts'
import { restore } from './restore.ts'
import { isSigned, signManifest } from './sign-manifest.ts'

const masterKey = Buffer.alloc(32, 1)
const secrets = openSecrets(masterKey)
const files = { 'pgdata/PG_VERSION': '18', 'pgdata/base/1': 'rows' }
const unsigned = manifestOf(files, secrets.fingerprint)
const signed = signManifest(secrets, {
  ...unsigned,
  sizes: { 'pgdata/': 0, 'pgdata/base/': 0, 'pgdata/PG_VERSION': 2, 'pgdata/base/1': 4 },
})

/** Restores what is refused; what the terminal shows of it, once nothing is left. */
async function refused(t: TestContext, entries: readonly ArchiveEntry[]): Promise<{ said: string[]; text: string }> {
  const place = await mkdtemp(join(tmpdir(), 'muster-restore-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  const input = await writeArchive(join(place, 'backup.tar.gz'), entries)
  const said: string[] = []
  const say = async (text: string) => void said.push(text)
  const { signal } = new AbortController()
  const io: CommandIo = { write: say, line: say, error: say, input: (async function* () {})(), signal }
  const env = { MUSTER_DATA_DIR: join(place, 'data'), MUSTER_MASTER_KEY: masterKey.toString('hex') }
  const { text } = await restore(env, io, { input, databaseIsRestored: false }).then(
    () => assert.fail('it was restored'),
    describeFailure,
  )
  assert.deepEqual(await readdir(join(place, 'data', 'database')), [], text)
  assert.doesNotMatch([text, ...said].join(''), /\p{Cc}/u)
  return { said, text }
}

test('a signed manifest is known by every byte of it, also by what a later version adds', () => {
  assert.match(signed.mac ?? '', /^[0-9a-f]{32}$/)
  const read = JSON.parse(JSON.stringify(signed))
  assert.ok(isSigned(secrets, read))
  const later = signManifest(secrets, Object.assign({ added: [1] }, unsigned))
  assert.ok(isSigned(secrets, JSON.parse(JSON.stringify(later))))
  assert.ok(!isSigned(secrets, Object.assign({}, later, { added: [2] })))
  for (const change of [
    { taken_at: '2026-11-20T10:00:00.001Z' },
    { files: { ...signed.files, 'pgdata/base/1': hashOf('other') } },
    { sizes: { ...signed.sizes, 'pgdata/base/1': 5 } },
    { added: [1] },
    { mac: undefined },
    { mac: '0'.repeat(32) },
    { mac: signed.mac?.slice(2) },
  ]) {
    assert.ok(!isSigned(secrets, { ...read, ...change }), JSON.stringify(change))
  }
  assert.ok(!isSigned(openSecrets(Buffer.alloc(32, 2)), read))
})

test('a manifest that was changed after it was signed is refused before anything is unpacked', async (t) => {
  const { said, text } = await refused(t, [
    manifestEntry({ ...signed, files: { ...signed.files, 'pgdata/base/1': hashOf('wrong') } }),
    entryOf('pgdata/unlisted', Buffer.alloc(20_000_000)),
  ])
  assert.match(
    text,
    /is not a whole backup of Muster: its manifest was changed after it was signed\. Nothing was restored$/,
  )
  assert.deepEqual(said, [])
})

test('another master key is answered by fingerprints before anything is unpacked, whatever the code', async (t) => {
  const { fingerprint } = openSecrets(Buffer.alloc(32, 2))
  for (const other of [{ ...signed, master_key_fingerprint: fingerprint }, manifestOf(files, fingerprint)]) {
    const { said, text } = await refused(t, [manifestEntry(other), entryOf('pgdata/unlisted')])
    assert.match(
      text,
      new RegExp(`^The backup was taken with the master key ${fingerprint}, but the configured one is `),
    )
    assert.deepEqual(said, [])
  }
})

test('a manifest that nobody signed comes with a warning, and its files are still held to it', async (t) => {
  const folders = ['pgdata/', 'pgdata/base/'].map((name) => ({ name, type: 'directory' as const }))
  const { said, text } = await refused(t, [
    manifestEntry(unsigned),
    ...folders,
    entryOf('pgdata/PG_VERSION', '18'),
    entryOf('pgdata/base/1', 'r0ws'),
  ])
  assert.match(text, /: pgdata\/base\/1 is not as it was written\. Nothing was restored$/)
  assert.match(
    said.join('\n'),
    /^Warning: the backup is not signed with the master key, .* whether someone has changed it/,
  )
})

test('an archive without a database, or with controls for the terminal, is refused in a sentence', async (t) => {
  const controls = '\u001b[2J\u0007\u009b2J'
  for (const entries of [
    [manifestEntry(signed)],
    [manifestEntry(unsigned)],
    [manifestEntry({ ...unsigned, files: {} })],
    [manifestEntry({ ...unsigned, taken_at: controls })],
    [manifestEntry({ ...unsigned, master_key_fingerprint: controls })],
    [manifestEntry(unsigned), entryOf(`pgdata/${controls}`)],
    [manifestEntry(unsigned), entryOf(`pgdata/PG_VERSION/${controls}`)],
    [entryOf(controls)],
  ]) {
    const { text } = await refused(t, entries)
    assert.match(text, /backup\.tar\.gz is not a whole backup of Muster: .+\. Nothing was restored$/)
  }
})

test('what a file that PostgreSQL cannot open says is no text for the terminal either', async (t) => {
  const { text } = await refused(t, [
    manifestEntry(signed),
    ...['pgdata/', 'pgdata/base/'].map((name) => ({ name, type: 'directory' as const })),
    entryOf('pgdata/PG_VERSION', '18'),
    entryOf('pgdata/base/1', 'rows'),
  ])
  assert.match(text, /\. Nothing was restored$/)
})
