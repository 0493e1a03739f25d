import { realpathSync } from 'node:fs'
import { bounded } from '../tables/bounded.ts'
import { type Constraint, columns, type Query, type Row, type Table } from '../tables/table.ts'
import { groupNames, userNames } from './accounts.ts'
import { listDirectory, lstatOf, statOf } from './read-files.ts'

/** Where osquery looks for programs. */
const programFolders = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/tmp']
const maxRows = 100_000
const setUid = 0o4000
const setGid = 0o2000
const executable = 0o111

type Names = { users: ReadonlyMap<number, string>; groups: ReadonlyMap<number, string> }

/**
 * Programs in these folders that run as their owner or group. Links are not followed, but a folder may be one to another.
 * Folders below which no path can meet the conditions of the query are not read.
 */
export function* suidPrograms(
  folders: readonly string[],
  names: Names,
  query: Query,
  constraints: readonly Constraint[] = [],
): Iterable<Row> {
  const isRead = readableBy(constraints)
  for (const folder of folders) {
    if (!isRead(folder) || !statOf(folder)?.isDirectory()) continue
    if (folders.some((one) => one === realpathSync(folder))) yield* programsBelow(folder, names, query, isRead)
  }
}

/** Whether a path below a folder can meet every condition. LIKE ignores case, so upper and lower case count as the same. */
function readableBy(constraints: readonly Constraint[]): (folder: string) => boolean {
  const starts = constraints.map(({ op, value }) => {
    const text = String(value ?? '').toLowerCase()
    return op === 'like' ? text.replace(/[%_].*$/s, '') : text
  })
  return (folder) => {
    const prefix = `${folder}/`.toLowerCase()
    return starts.every((start) => prefix.startsWith(start) || start.startsWith(prefix))
  }
}

function* programsBelow(
  folder: string,
  names: Names,
  query: Query,
  isRead: (folder: string) => boolean,
): Iterable<Row> {
  for (const name of listDirectory(folder)) {
    query.remainingMs()
    const path = `${folder}/${name}`
    const stats = lstatOf(path)
    if (stats?.isDirectory() && isRead(path)) yield* programsBelow(path, names, query, isRead)
    if (!stats?.isFile() || (stats.mode & (setUid | setGid)) === 0 || (stats.mode & executable) === 0) continue
    yield {
      path,
      username: names.users.get(stats.uid) ?? '',
      groupname: names.groups.get(stats.gid) ?? '',
      permissions: (stats.mode & setUid ? 'S' : '') + (stats.mode & setGid ? 'G' : ''),
    }
  }
}

export const suidBin: Table = {
  name: 'suid_bin',
  columns: columns('path username groupname permissions'),
  pushed: { path: 'like' },
  collect: (constraints, query) =>
    bounded(suidPrograms(programFolders, { users: userNames(), groups: groupNames() }, query, constraints), maxRows),
}
