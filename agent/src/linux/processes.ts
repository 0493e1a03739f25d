import { type Constraint, columns, type Query, type Row, type Table, wantedValues } from '../tables/table.ts'
import { ifAllowed, linkTarget, listDirectory, readText, statOf } from './read-files.ts'

/** Kernel clock ticks per second: USER_HZ, which Linux fixes at 100 for user space. */
const ticksPerSecond = 100

/** The process ids asked for, or all. */
function wantedPids(constraints: Constraint[]): string[] {
  return wantedValues(constraints, 'pid')?.filter((pid) => /^\d+$/.test(pid)) ?? allPids()
}

function allPids(): string[] {
  return listDirectory('/proc').filter((name) => /^\d+$/.test(name))
}

/** The fields of /proc/<pid>/stat from the state on; the name before them may hold spaces and brackets. */
export function parseStat(text: string): { name: string; fields: string[] } {
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')]
  return {
    name: text.slice(open + 1, close),
    fields: text
      .slice(close + 2)
      .trim()
      .split(' '),
  }
}

export function parseStatusIds(status: string, key: 'Uid' | 'Gid'): string[] {
  return new RegExp(`^${key}:\\s+(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/) ?? []
}

export const processes: Table = {
  name: 'processes',
  columns:
    columns(`pid:bigint name path cmdline state cwd root uid:bigint gid:bigint euid:bigint egid:bigint suid:bigint
    sgid:bigint on_disk:integer wired_size:bigint resident_size:bigint total_size:bigint user_time:bigint
    system_time:bigint disk_bytes_read:bigint disk_bytes_written:bigint start_time:bigint parent:bigint pgroup:bigint
    threads:integer nice:integer cgroup_path`),
  pushed: { pid: 'equal' },
  *collect(constraints, query) {
    const bootedAt = bootTimeUnix(query)
    for (const pid of wantedPids(constraints)) {
      query.remainingMs()
      const row = processRow(pid, bootedAt)
      if (row) yield row
    }
  },
}

function bootTimeUnix(query: Query): number {
  const boot = /^btime (\d+)$/m.exec(readText('/proc/stat') ?? '')?.[1]
  return boot ? Number(boot) : Math.floor(query.now.getTime() / 1000)
}

function processRow(pid: string, bootedAt: number): Row | undefined {
  const folder = `/proc/${pid}`
  // A process may end between two reads: a row without its stat is no row.
  const stat = readText(`${folder}/stat`)
  const status = readText(`${folder}/status`)
  if (stat === undefined || status === undefined) return undefined
  const { name, fields } = parseStat(stat)
  const at = (index: number) => Number(fields[index] ?? 0)
  const cmdline = ifAllowed('', () => readText(`${folder}/cmdline`) ?? '')
    .replace(/\0+$/, '')
    .replaceAll('\0', ' ')
  const path = ifAllowed('', () => linkTarget(`${folder}/exe`) ?? '')
  return {
    pid: Number(pid),
    name,
    path: path.replace(/ \(deleted\)$/, ''),
    cmdline,
    state: fields[0],
    cwd: ifAllowed('', () => linkTarget(`${folder}/cwd`)),
    root: ifAllowed('', () => linkTarget(`${folder}/root`)),
    ...owners(status),
    on_disk: onDisk(path),
    wired_size: 0,
    resident_size: kilobytes(status, 'VmRSS'),
    total_size: kilobytes(status, 'VmSize'),
    user_time: (at(11) * 1000) / ticksPerSecond,
    system_time: (at(12) * 1000) / ticksPerSecond,
    ...diskBytes(folder),
    start_time: bootedAt + Math.floor(at(19) / ticksPerSecond),
    parent: at(1),
    pgroup: at(2),
    threads: at(17),
    nice: at(16),
    cgroup_path: cgroupPath(folder),
  }
}

/** A size of /proc/<pid>/status in bytes; kernel threads have none. */
function kilobytes(status: string, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
}

function owners(status: string): Row {
  const [uid, euid, suid] = parseStatusIds(status, 'Uid')
  const [gid, egid, sgid] = parseStatusIds(status, 'Gid')
  return { uid, gid, euid, egid, suid, sgid }
}

/** 1 and 0 as osquery, -1 when the path is not known (kernel threads, processes of others). */
function onDisk(path: string): number {
  if (path === '') return -1
  return ifAllowed(-1, () => (statOf(path) ? 1 : 0))
}

function diskBytes(folder: string): Row {
  const io = ifAllowed('', () => readText(`${folder}/io`) ?? '')
  const of = (key: string) => new RegExp(`^${key}: (\\d+)$`, 'm').exec(io)?.[1]
  return { disk_bytes_read: of('read_bytes'), disk_bytes_written: of('write_bytes') }
}

function cgroupPath(folder: string): string {
  const lines = ifAllowed('', () => readText(`${folder}/cgroup`) ?? '').split('\n')
  return lines.find((line) => line.startsWith('0::'))?.slice(3) ?? ''
}
