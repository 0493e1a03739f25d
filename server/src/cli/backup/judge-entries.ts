import type { TarHeader } from 'modern-tar'
import { type BackupManifest, isFolderPath } from './backup-format.ts'

/** PostgreSQL begins another file after that many bytes. It bounds a backup that lists no sizes. */
const largestFile = 2 ** 30

/** A database has about 30. It bounds a backup that lists no folders. */
const mostFolders = 1_000

type EntryJudge = {
  /** Throws unless the entry is listed, comes for the first time and is as large as it was. */
  admit(header: TarHeader): void
  /** Throws unless everything that is listed was admitted. */
  requireAll(): void
}

/** Judges each entry of a backup by its manifest, before a byte of it is written. */
export function judgeEntries({ files, sizes }: BackupManifest): EntryJudge {
  const seen = new Set<string>()
  let folders = 0
  const isListed = (name: string, isFolder: boolean): boolean => {
    if (sizes) return Object.hasOwn(sizes, name)
    if (!isFolder) return Object.hasOwn(files, name)
    folders += 1
    return folders <= mostFolders && isFolderPath(name)
  }
  return {
    admit({ name, size, type }) {
      const isFolder = type === 'directory'
      if (!isFolder && type !== 'file') throw new Error(`${name} is neither a file nor a folder`)
      // A folder has a slash at its end, so what is listed as a file is none.
      if (name.endsWith('/') !== isFolder || !isListed(name, isFolder)) throw new Error(`${name} is not listed in it`)
      if (seen.has(name)) throw new Error(`${name} comes twice`)
      seen.add(name)
      const listed = sizes?.[name]
      if (listed === undefined ? size > largestFile : size !== listed) {
        throw new Error(`${name} has ${size} bytes instead of ${listed ?? `at most ${largestFile}`}`)
      }
    },
    requireAll() {
      const missing = Object.keys(sizes ?? files).find((name) => !seen.has(name))
      if (missing !== undefined) throw new Error(`${missing} is missing`)
    },
  }
}
