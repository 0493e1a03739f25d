import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { NotCollected } from '../tables/not-collected.ts'

/** What the kernel says when there is nothing to read, as against when we may not. */
const absentCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ESRCH', 'ENODEV', 'EINVAL', 'ENAMETOOLONG'])
const deniedCodes = new Set(['EACCES', 'EPERM'])
const maxTextBytes = 32 * 1024 * 1024

/** Runs `read`; undefined when the path is absent, NotCollected when this user may not look. */
function orAbsent<T>(path: string, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (absentCodes.has(code)) return undefined
    if (deniedCodes.has(code)) throw new NotCollected(`${path} may not be read by this user`)
    throw error
  }
}

export function readBytes(path: string): Buffer | undefined {
  return orAbsent(path, () => {
    const stats = statSync(path)
    // A FIFO or a device would block or never end.
    if (!stats.isFile()) return undefined
    if (stats.size > maxTextBytes) throw new Error(`${path} is larger than 32 MiB`)
    return readFileSync(path)
  })
}

export function readText(path: string): string | undefined {
  return readBytes(path)?.toString('utf8')
}

/** The trimmed text of a small file, '' when absent. */
export function readLine(path: string): string {
  return readText(path)?.trim() ?? ''
}

export function readLines(path: string): string[] {
  return readText(path)?.split('\n') ?? []
}

/** Names in a directory, sorted; none when it is absent. */
export function listDirectory(path: string): string[] {
  return orAbsent(path, () => readdirSync(path).sort()) ?? []
}

export function linkTarget(path: string): string | undefined {
  return orAbsent(path, () => readlinkSync(path))
}

export function statOf(path: string): Stats | undefined {
  return orAbsent(path, () => statSync(path))
}

export function lstatOf(path: string): Stats | undefined {
  return orAbsent(path, () => lstatSync(path))
}

/** `read`, or `otherwise` where this user may not look; only for facts whose absence cannot make a check pass. */
export function ifAllowed<T>(otherwise: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotCollected) return otherwise
    throw error
  }
}
