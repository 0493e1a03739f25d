import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { manifestOf, readArchive } from '../../../test/support/backup-archive.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { packBackup } from './pack-backup.ts'
import { isSigned } from './sign-manifest.ts'
import { unpackBackup } from './unpack-backup.ts'

const secrets = openSecrets(Buffer.alloc(32, 1))
const { files: _, ...facts } = manifestOf({}, secrets.fingerprint)

test('a backup lists files, folders and sizes, is signed, and is not made where it could not be restored', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'muster-pack-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  await mkdir(join(place, 'pgdata', 'empty'), { recursive: true })
  await writeFile(join(place, 'pgdata', 'PG_VERSION'), '18')
  await writeFile(join(place, 'pgdata', 'Größe'), '')
  const input = join(place, 'backup.tar.gz')
  await writeFile(input, packBackup(place, facts, secrets))
  const { manifest } = await readArchive(input)
  assert.deepEqual(manifest.sizes, { 'pgdata/': 0, 'pgdata/empty/': 0, 'pgdata/PG_VERSION': 2, 'pgdata/Größe': 0 })
  assert.ok(isSigned(secrets, manifest))
  const target = join(place, 'restoring')
  const { signal } = new AbortController()
  const unpacked = await unpackBackup({ input, folder: target, accept: async () => {}, signal })
  assert.deepEqual(unpacked, manifest)

  await writeFile(join(place, 'pgdata', 'a:b'), '')
  await assert.rejects(writeFile(input, packBackup(place, facts, secrets)), /could not be restored: the folder of the/)
})
