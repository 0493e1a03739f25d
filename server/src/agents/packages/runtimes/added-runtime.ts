import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import type { Reader } from '../../../base/db/transact.ts'
import { fail } from '../../../base/errors.ts'
import { draftPrefix, removeAbandoned } from '../kept-part.ts'
import { sharedWork } from '../shared-work.ts'
import type { PackagedNode } from './packaged-node.ts'
import { findPiece, findRuntime, listPacked } from './runtime-queries.ts'

const prefix = 'runtime-'

const copying = sharedWork<void>()

/** Where the copy of a packed runtime is, for whoever has it already or needs it. */
export const copyOf = (folder: string, packedSha256: string): string => join(folder, `${prefix}${packedSha256}.gz`)

/**
 * The runtime that was added to the deployment, its packed executable as a file in the folder; undefined where there is none.
 */
export async function openAddedRuntime(
  reader: Reader,
  folder: string,
  system: RuntimeSystem,
): Promise<PackagedNode | undefined> {
  const row = await findRuntime(reader, system)
  if (!row) return undefined
  return {
    part: await openPacked(reader, folder, {
      ...{ sha256: row.packed_sha256, size: row.packed_size, name: `The Node for ${system}` },
    }),
    md5: row.md5,
    size: row.size,
    license: row.license ?? undefined,
    needsLibatomic: row.needs_libatomic,
  }
}

/** A packed executable in the database, by the SHA-256 of its bytes in hexadecimal; `name` is what messages call it. */
type Packed = { sha256: string; size: number; name: string }

/** The same as a file in the folder, which is written at the first call, a piece at a time. */
export async function openPacked(reader: Reader, folder: string, packed: Packed): Promise<PackagedNode['part']> {
  const path = copyOf(folder, packed.sha256)
  if (!(await isThere(path, packed.size))) await copying(path, () => copy(reader, { packed, folder, path }))
  return { path, size: packed.size }
}

/** False of a piece of one. */
async function isThere(path: string, size: number): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return found?.size === size
}

const notWhole = ({ name }: Packed): string =>
  `${name} was replaced just now, or is not whole in the database: try again, or add it again.`

type Copying = { packed: Packed; folder: string; path: string }

async function copy(reader: Reader, { packed, folder, path }: Copying): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `${draftPrefix}${randomBytes(6).toString('hex')}`)
  const hash = createHash('sha256')
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let number = 0; ; number += 1) {
      const bytes = await findPiece(reader, packed.sha256, number)
      if (!bytes) return
      hash.update(bytes)
      yield bytes
    }
  }
  try {
    await pipeline(pieces, createWriteStream(draft, { flags: 'wx', mode: 0o600 }))
    // Between two pieces another one may have been added in its place.
    if (hash.digest('hex') !== packed.sha256) fail('unavailable', { message: notWhole(packed) })
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  await removeOldCopies(reader, folder, path)
}

/** After the copy at `path` was made: those of runtimes that the database has no more. Whoever reads one goes on. */
export async function removeOldCopies(reader: Reader, folder: string, path: string): Promise<void> {
  await removeAbandoned(folder, (await stat(path)).mtimeMs)
  const kept = new Set((await listPacked(reader)).map((hash) => copyOf(folder, hash)))
  for (const name of await readdir(folder)) {
    const other = join(folder, name)
    if (name.startsWith(prefix) && !kept.has(other)) await rm(other, { force: true })
  }
}
