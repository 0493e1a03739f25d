import { columns, type Row, type Table } from '../tables/table.ts'
import { listDirectory, readLine, readLines } from './read-files.ts'

const cpuFields = [
  'user',
  'nice',
  'system',
  'idle',
  'iowait',
  'irq',
  'softirq',
  'steal',
  'guest',
  'guest_nice',
] as const

/** proc(5), /proc/stat: ticks of each core. The line of all cores together is left out. */
export function parseCpuTime(line: string): Row | undefined {
  const [, core, rest = ''] = /^cpu(\d+) (.*)$/.exec(line) ?? []
  if (core === undefined) return undefined
  const ticks = rest.trim().split(/\s+/)
  return { core, ...Object.fromEntries(cpuFields.map((field, index) => [field, ticks[index] ?? '0'])) }
}

export const cpuTime: Table = {
  name: 'cpu_time',
  columns: columns(`core:integer ${cpuFields.map((field) => `${field}:bigint`).join(' ')}`),
  *collect() {
    for (const line of readLines('/proc/stat')) {
      const row = parseCpuTime(line)
      if (row) yield row
    }
  },
}

const shmDestroyed = 0o1000
const shmLocked = 0o2000

/** A line of /proc/sysvipc/shm below its head. */
export function parseSharedMemory(line: string): Row | undefined {
  const [, shmid, perms = '0', size, creator, last, attached, uid, , cuid, , atime, dtime, ctime] = line
    .trim()
    .split(/\s+/)
  const mode = Number.parseInt(perms, 8)
  if (ctime === undefined || Number.isNaN(mode)) return undefined
  return {
    shmid,
    owner_uid: uid,
    creator_uid: cuid,
    pid: last,
    creator_pid: creator,
    atime,
    dtime,
    ctime,
    permissions: (mode & 0o777).toString(8).padStart(4, '0'),
    size,
    attached,
    status: mode & shmDestroyed ? 'dest' : '',
    locked: mode & shmLocked ? 1 : 0,
  }
}

export const sharedMemory: Table = {
  name: 'shared_memory',
  columns: columns(`shmid:integer owner_uid:bigint creator_uid:bigint pid:bigint creator_pid:bigint atime:bigint
    dtime:bigint ctime:bigint permissions size:bigint attached:integer status locked:integer`),
  *collect() {
    for (const line of readLines('/proc/sysvipc/shm').slice(1)) {
      const row = parseSharedMemory(line)
      if (row) yield row
    }
  },
}

/** What an interface does with IPv6, by the kernel's settings below `folder`. */
export function* interfaceSettings(folder: string): Iterable<Row> {
  for (const name of listDirectory(folder).filter((each) => each !== 'all' && each !== 'default')) {
    const of = (setting: string) => readLine(`${folder}/${name}/${setting}`)
    yield {
      interface: name,
      hop_limit: of('hop_limit'),
      forwarding_enabled: of('forwarding'),
      redirect_accept: of('accept_redirects'),
      rtadv_accept: of('accept_ra'),
    }
  }
}

export const interfaceIpv6: Table = {
  name: 'interface_ipv6',
  columns: columns(
    'interface hop_limit:integer forwarding_enabled:integer redirect_accept:integer rtadv_accept:integer',
  ),
  collect: () => interfaceSettings('/proc/sys/net/ipv6/conf'),
}
