import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, type Stats } from 'node:fs'
import { basename, dirname, normalize } from 'node:path'
import { NotCollected } from '../tables/not-collected.ts'
import { type Constraint, columns, type Query, type Row, type Table } from '../tables/table.ts'
import { expandPattern } from './path-patterns.ts'
import { ifAllowed, linkTarget, listDirectory, lstatOf, statOf } from './read-files.ts'

/** The paths that the conditions on `path` and `directory` name, whether or not they exist. */
function* askedPaths(constraints: Constraint[], query: Query): Iterable<string> {
  // Two conditions narrow each other; one is enough here, since SQLite checks both.
  const by = constraints.find((each) => each.column === 'path') ?? constraints[0]
  if (!by) return
  const value = String(by.value)
  if (by.column === 'path') {
    if (by.op === 'equal') yield value
    else yield* expandPattern(value, query)
    return
  }
  const directories = by.op === 'equal' ? [value] : expandPattern(value, query)
  for (const directory of directories) {
    const prefix = directory === '/' ? '' : directory.replace(/\/$/, '')
    for (const name of listDirectory(directory)) yield `${prefix}/${name}`
  }
}

export const file: Table = {
  name: 'file',
  columns: columns(`path directory filename inode:bigint uid:bigint gid:bigint mode device:bigint size:bigint
    block_size:integer atime:bigint mtime:bigint ctime:bigint btime:bigint hard_links:integer symlink:integer type
    symlink_target_path`),
  pushed: { path: 'like', directory: 'like' },
  constraintRequired: true,
  *collect(constraints, query) {
    for (const path of askedPaths(constraints, query)) {
      query.remainingMs()
      const row = path.startsWith('/') ? fileRow(path) : undefined
      if (row) yield row
    }
  },
}

function fileRow(path: string): Row | undefined {
  const own = lstatOf(path)
  if (!own) return undefined
  const isLink = own.isSymbolicLink()
  // As osquery: the facts are the target's, and a dangling link shows its own.
  const stats = (isLink ? statOf(path) : own) ?? own
  const seconds = (ms: number) => Math.floor(ms / 1000)
  return {
    path,
    directory: dirname(path),
    filename: basename(path),
    inode: stats.ino,
    uid: stats.uid,
    gid: stats.gid,
    mode: (stats.mode & 0o7777).toString(8).padStart(4, '0'),
    device: stats.rdev,
    size: stats.size,
    block_size: stats.blksize,
    atime: seconds(stats.atimeMs),
    mtime: seconds(stats.mtimeMs),
    ctime: seconds(stats.ctimeMs),
    btime: seconds(stats.birthtimeMs),
    hard_links: stats.nlink,
    symlink: isLink ? 1 : 0,
    type: fileType(stats),
    symlink_target_path: isLink ? ifAllowed('', () => linkTarget(path)) : '',
  }
}

function fileType(stats: Stats): string {
  if (stats.isFile()) return 'regular'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'symlink'
  if (stats.isBlockDevice()) return 'block'
  if (stats.isCharacterDevice()) return 'character'
  if (stats.isFIFO()) return 'fifo'
  return stats.isSocket() ? 'socket' : 'unknown'
}

export const hash: Table = {
  name: 'hash',
  columns: columns('path directory md5 sha1 sha256'),
  pushed: { path: 'like', directory: 'equal' },
  constraintRequired: true,
  *collect(constraints, query) {
    for (const path of askedPaths(constraints, query)) {
      if (normalize(path) !== path || !statOf(path)?.isFile()) continue
      yield { path, directory: dirname(path), ...digests(path, query) }
    }
  },
}

function digests(path: string, query: Query): Row {
  const hashes = { md5: createHash('md5'), sha1: createHash('sha1'), sha256: createHash('sha256') }
  const chunk = Buffer.alloc(256 * 1024)
  const handle = openForReading(path)
  try {
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      query.remainingMs()
      for (const each of Object.values(hashes)) each.update(chunk.subarray(0, read))
    }
  } finally {
    closeSync(handle)
  }
  return { md5: hashes.md5.digest('hex'), sha1: hashes.sha1.digest('hex'), sha256: hashes.sha256.digest('hex') }
}

function openForReading(path: string): number {
  try {
    return openSync(path, 'r')
  } catch {
    throw new NotCollected(`${path} may not be read by this user`)
  }
}
