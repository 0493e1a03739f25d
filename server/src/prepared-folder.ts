import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectEmbedded } from './base/db/connect.ts'
import { migrationsHash } from './base/db/migrate.ts'
import { dayMs } from './base/time.ts'
import { upgradeDatabase } from './upgrade-database.ts'

// An embedded database with all of its tables and no rows, made once for a version of the code, which the first start
// copies: making one takes the processor seconds. What an installation has for itself is only written after the copy.

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
const prefix = 'prepared-'
const keptForMs = dayMs

/** All that the tables come from: the migrations, and the exact versions of the engine and of the job queue. */
export async function preparedKey(migrations?: URL): Promise<string> {
  const versions = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return createHash('sha256')
    .update(versions + (await migrationsHash(migrations)))
    .digest('hex')
    .slice(0, 16)
}

const folderOf = async (parent: string, migrations?: URL) => join(parent, prefix + (await preparedKey(migrations)))

/** The folder to copy, or undefined while there is none for this version of the code. */
export async function preparedFolder(parent = cache, migrations?: URL): Promise<string | undefined> {
  const folder = await folderOf(parent, migrations)
  return existsSync(folder) ? folder : undefined
}

/**
 * Makes the folder unless it is there. It is made beside and renamed when it is complete and on the disk, so it is whole
 * whenever its name exists; of several processes that make it at once, one wins. Given the time, old ones are removed.
 */
export async function makePreparedFolder(parent = cache, nowMs = 0): Promise<string> {
  const folder = await folderOf(parent)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${randomUUID()}`
  await mkdir(parent, { recursive: true })
  try {
    const connection = await connectEmbedded({ dataDir: draft })
    try {
      await upgradeDatabase(connection)
    } finally {
      await connection.close()
    }
    await rename(draft, folder).catch((error: unknown) => existsSync(folder) || Promise.reject(error))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await removeOld(parent, folder, nowMs)
  return folder
}

/** Those of other versions, and drafts of processes that were killed. */
async function removeOld(parent: string, current: string, nowMs: number): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name)
    if (!name.startsWith(prefix) || path === current) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }))
    if (nowMs - mtimeMs > keptForMs) await rm(path, { recursive: true, force: true })
  }
}
