import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Linux keeps it in memory. A container may have 64 MB of it, which is too little. */
const inMemory = '/dev/shm'
const neededBytes = 4e9

/**
 * Where the files of a run go. Tests make and remove databases, data folders and profiles of browsers by the hundred: on ext4,
 * which searches for an inode that was not deleted a moment ago, a third of the processor time of files with a database.
 */
export function temporaryFolder(env: NodeJS.ProcessEnv): string {
  return env['TMPDIR'] === undefined && hasRoom(inMemory) ? inMemory : tmpdir()
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}
