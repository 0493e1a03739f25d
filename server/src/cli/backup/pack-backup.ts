import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { packTar } from 'modern-tar/fs'
import { Check } from 'typebox/value'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { BackupManifest, largestManifest, manifestName } from './backup-format.ts'
import { listFiles } from './list-files.ts'
import { signManifest } from './sign-manifest.ts'

/** Most of what there is to win, at a third of the time of the default. */
const level = 1

/** The bytes of a backup of the folder in which `pgdata` is, a piece at a time. */
export async function* packBackup(
  folder: string,
  facts: Omit<BackupManifest, 'files' | 'sizes' | 'mac'>,
  secrets: Secrets,
): AsyncGenerator<Buffer, void, undefined> {
  const content = writeManifest(signManifest(secrets, { ...facts, ...(await listFiles(folder, 'pgdata')) }))
  const entries = packTar([
    { type: 'content', target: manifestName, content, mode: 0o600 },
    { type: 'directory', target: 'pgdata', source: join(folder, 'pgdata'), uid: 0, gid: 0 },
  ])
  const packed = createGzip({ level })
  // A fault of the entries ends the reading below.
  pipeline(entries, packed, () => {})
  for await (const piece of packed) yield piece
}

/** A backup that cannot be restored is worse than none. */
function writeManifest(manifest: BackupManifest): string {
  const text = JSON.stringify(manifest)
  if (Check(BackupManifest, manifest) && Buffer.byteLength(text) <= largestManifest) return text
  throw new CommandError(
    exitCodes.failure,
    'A backup could not be restored: the folder of the database holds names that are not of PostgreSQL, or too many',
  )
}
