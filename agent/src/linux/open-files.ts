import { bounded } from '../tables/bounded.ts'
import { type Constraint, columns, type Query, type Row, type Table, wantedValues } from '../tables/table.ts'
import { linkTarget, listDirectory, readLines } from './read-files.ts'

const isPid = (name: string): boolean => /^\d+$/.test(name)

/** The process ids asked for, or all. */
function* eachPid(constraints: Constraint[], query: Query): Iterable<string> {
  for (const pid of wantedValues(constraints, 'pid')?.filter(isPid) ?? listDirectory('/proc').filter(isPid)) {
    query.remainingMs()
    yield pid
  }
}

const maxRows = 500_000

function* openFilesOf(pids: Iterable<string>): Iterable<Row> {
  for (const pid of pids) {
    for (const fd of listDirectory(`/proc/${pid}/fd`)) {
      const path = linkTarget(`/proc/${pid}/fd/${fd}`)
      // Sockets, pipes and the like have no path.
      if (path?.startsWith('/')) yield { pid: Number(pid), fd: Number(fd), path }
    }
  }
}

export const processOpenFiles: Table = {
  name: 'process_open_files',
  columns: columns('pid:bigint fd:bigint path'),
  pushed: { pid: 'equal' },
  collect: (constraints, query) => bounded(openFilesOf(eachPid(constraints, query)), maxRows),
}

/** A line of /proc/<pid>/maps: addresses, permissions, offset, device, inode and, maybe with spaces, a path. */
export function parseMapping(line: string): Row | undefined {
  const match = /^([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) (\S+) (\d+) *(.*)$/.exec(line)
  if (!match) return undefined
  const [, start, end, permissions, offset = '0', device, inode = '0', path = ''] = match
  return {
    start: `0x${start}`,
    end: `0x${end}`,
    permissions,
    offset: BigInt.asIntN(64, BigInt(`0x${offset}`)),
    device,
    inode: BigInt(inode),
    path,
    pseudo: inode === '0' && path !== '' ? 1 : 0,
  }
}

function* mappingsOf(pids: Iterable<string>): Iterable<Row> {
  for (const pid of pids) {
    for (const line of readLines(`/proc/${pid}/maps`)) {
      const mapping = parseMapping(line)
      if (mapping) yield { pid: Number(pid), ...mapping }
    }
  }
}

export const processMemoryMap: Table = {
  name: 'process_memory_map',
  columns: columns('pid:integer start end permissions offset:bigint device inode:bigint path pseudo:integer'),
  pushed: { pid: 'equal' },
  collect: (constraints, query) => bounded(mappingsOf(eachPid(constraints, query)), maxRows),
}
