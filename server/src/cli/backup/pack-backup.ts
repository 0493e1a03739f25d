import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { packTar } from 'modern-tar/fs'
import { type BackupManifest, manifestName } from './backup-format.ts'
import { hashFiles } from './hash-files.ts'

/** Most of what there is to win, at a third of the time of the default. */
const level = 1

/** The bytes of a backup of the folder in which `pgdata` is, a piece at a time. */
export async function* packBackup(
  folder: string,
  facts: Omit<BackupManifest, 'files'>,
): AsyncGenerator<Buffer, void, undefined> {
  const manifest: BackupManifest = { ...facts, files: await hashFiles(folder, 'pgdata') }
  const entries = packTar([
    { type: 'content', target: manifestName, content: JSON.stringify(manifest), mode: 0o600 },
    { type: 'directory', target: 'pgdata', source: join(folder, 'pgdata'), uid: 0, gid: 0 },
  ])
  const packed = createGzip({ level })
  // A fault of the entries ends the reading below.
  pipeline(entries, packed, () => {})
  for await (const piece of packed) yield piece
}
