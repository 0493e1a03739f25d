import fs from 'node:fs'
import path from 'node:path'
import { syncFiles, syncPath } from './sync-files.ts'

/** Of a database whose creation has begun and not ended. */
export const incompleteMark = 'pgdata.incomplete'

const copyName = 'pgdata.copy'
const restoringName = 'pgdata.restoring'

/** Only the holder of the folder's lock copies or restores, so what is found at a start is of a process that was killed. */
export function removeLeftovers(dataDir: string): void {
  for (const name of [copyName, restoringName]) {
    fs.rmSync(path.join(dataDir, name), { recursive: true, force: true })
  }
}

/**
 * Copies a database, which nobody writes to meanwhile, into a folder beside it. File systems that can (XFS, Btrfs, APFS)
 * share the blocks, which takes no time and no room. Throws, and leaves nothing behind, where the copy would not fit.
 */
export function copyFolder(dataDir: string, minimumFreeBytes: number): string {
  const [data, copy] = [path.join(dataDir, 'pgdata'), path.join(dataDir, copyName)]
  fs.rmSync(copy, { recursive: true, force: true })
  requireRoom(data, minimumFreeBytes)
  try {
    fs.mkdirSync(copy, { mode: 0o700 })
    fs.cpSync(data, path.join(copy, 'pgdata'), { recursive: true, mode: fs.constants.COPYFILE_FICLONE })
    return copy
  } catch (error) {
    fs.rmSync(copy, { recursive: true, force: true })
    throw error
  }
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20)

function requireRoom(data: string, minimumFreeBytes: number): void {
  const { bavail, bsize } = fs.statfsSync(data)
  const needed = sizeOf(data) + minimumFreeBytes
  if (bavail * bsize >= needed) return
  throw new Error(
    `A copy needs ${megabytes(needed)} MB free beside ${data}, and there are ${megabytes(bavail * bsize)}`,
  )
}

function sizeOf(folder: string): number {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  const sizes = entries.map((entry) => fs.statSync(path.join(entry.parentPath, entry.name)).size)
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Whether there is a database that was acknowledged as made. */
export const holdsDatabase = (dataDir: string): boolean =>
  fs.existsSync(path.join(dataDir, 'pgdata', 'PG_VERSION')) && !fs.existsSync(path.join(dataDir, incompleteMark))

/** An empty folder in which a database is made ready, of the form of a data folder; `putInPlace` makes it the database. */
export function openRestoring(dataDir: string): string {
  removeLeftovers(dataDir)
  const restoring = path.join(dataDir, restoringName)
  fs.mkdirSync(restoring, { mode: 0o700 })
  return restoring
}

/** From one moment to the next the folder holds the whole database, also on the disk. */
export function putInPlace(dataDir: string): void {
  const restoring = path.join(dataDir, restoringName)
  syncFiles(path.join(restoring, 'pgdata'))
  // With the mark in place, the next start would take the database for one that is half made.
  fs.rmSync(path.join(dataDir, 'pgdata'), { recursive: true, force: true })
  fs.rmSync(path.join(dataDir, incompleteMark), { force: true })
  syncPath(dataDir)
  fs.renameSync(path.join(restoring, 'pgdata'), path.join(dataDir, 'pgdata'))
  syncPath(dataDir)
  fs.rmSync(restoring, { recursive: true, force: true })
}
