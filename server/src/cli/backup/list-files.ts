import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { BackupManifest } from './backup-format.ts'

type Listed = Required<Pick<BackupManifest, 'files' | 'sizes'>>

/** What is below a part of a folder, and the part itself, as a manifest lists it. */
export async function listFiles(folder: string, part: string): Promise<Listed> {
  const listed: Listed = { files: {}, sizes: { [`${part}/`]: 0 } }
  for (const entry of await readdir(join(folder, part), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path).replaceAll(sep, '/')
    if (entry.isDirectory()) {
      listed.sizes[`${name}/`] = 0
      continue
    }
    const { hash, size } = await readWhole(path)
    listed.files[name] = hash
    listed.sizes[name] = size
  }
  return listed
}

async function readWhole(path: string): Promise<{ hash: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(piece)
    size += piece.length
  }
  return { hash: hash.digest('hex'), size }
}
