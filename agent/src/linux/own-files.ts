import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { NotCollected } from '../tables/not-collected.ts'
import { statOf } from './read-files.ts'

const maxBytes = 4 * 1024 * 1024

/**
 * The lines of a file in someone's home, none where there is no such file. Its owner could make it, or a folder on the
 * way, a link to what only root reads: so what was opened must lie in the home.
 */
export const readOwnLines = (home: string, path: string): string[] => readOwnText(home, path)?.split('\n') ?? []

/** The same as one text; undefined where there is no such file, or one longer than `longest` bytes. */
export function readOwnText(home: string, path: string, longest = maxBytes): string | undefined {
  if (!statOf(`${home}/${path}`)?.isFile()) return undefined
  const handle = open(`${home}/${path}`)
  if (handle === undefined) return undefined
  try {
    const stats = fstatSync(handle)
    const isOwn = readlinkSync(`/proc/self/fd/${handle}`).startsWith(`${realpathSync(home)}/`)
    return isOwn && stats.isFile() && stats.size <= longest ? readFileSync(handle, 'utf8') : undefined
  } finally {
    closeSync(handle)
  }
}

/** Undefined where the file is gone by now. */
function open(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new NotCollected(`${path} may not be read by this user`)
  }
}

/** Whether a folder in someone's home is there, and in the home whatever links there are on the way to it. */
export function isOwnFolder(home: string, path: string): boolean {
  if (!statOf(`${home}/${path}`)?.isDirectory()) return false
  return realpathSync(`${home}/${path}`).startsWith(`${realpathSync(home)}/`)
}
