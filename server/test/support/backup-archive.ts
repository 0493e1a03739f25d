import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { packTar, type TarHeader, unpackTar } from 'modern-tar'
import { type BackupManifest, backupFormat, manifestName } from '../../src/cli/backup/backup-format.ts'

export type ArchiveEntry = { name: string; data?: Uint8Array; type?: NonNullable<TarHeader['type']>; linkname?: string }

export const entryOf = (name: string, content: string | Uint8Array = ''): ArchiveEntry => ({
  name,
  data: Buffer.from(content),
})

export const manifestEntry = (manifest: object): ArchiveEntry => entryOf(manifestName, JSON.stringify(manifest))

/** Writes a `.tar.gz` of these entries, in their order. */
export async function writeArchive(path: string, entries: readonly ArchiveEntry[]): Promise<string> {
  const packed = entries.map(({ name, data, type = 'file', ...link }) => ({
    header: { name, type, size: data?.length ?? 0, ...link },
    ...(data && { data: new Uint8Array(data) }),
  }))
  await writeFile(path, gzipSync(await packTar(packed), { level: 1 }))
  return path
}

/** The entries of a backup: its manifest, and what it lists. */
export async function readArchive(path: string): Promise<{ manifest: BackupManifest; rest: ArchiveEntry[] }> {
  const [first, ...rest] = await unpackTar(gunzipSync(await readFile(path)))
  return {
    manifest: JSON.parse(Buffer.from(first?.data ?? '').toString()) as BackupManifest,
    rest: rest.map(({ header, data }) => ({ name: header.name, type: header.type ?? 'file', ...(data && { data }) })),
  }
}

export const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** A manifest of these files, as the first versions of Muster wrote it: without sizes, and not signed. */
export const manifestOf = (files: Record<string, string>, fingerprint = '0'.repeat(32)): BackupManifest => ({
  format: backupFormat,
  version: 1,
  muster: '0.1.0',
  last_migration: '0001_initial.sql',
  taken_at: '2026-11-20T10:00:00.000Z',
  master_key_fingerprint: fingerprint,
  files: Object.fromEntries(Object.entries(files).map(([name, content]) => [name, hashOf(content)])),
})
