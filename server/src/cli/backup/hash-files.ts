import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The SHA-256 of each file below a part of a folder, by its path in the folder with slashes. */
export async function hashFiles(folder: string, part: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const entry of await readdir(join(folder, part), { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash)
    hashes[relative(folder, path).replaceAll(sep, '/')] = hash.digest('hex')
  }
  return hashes
}
