import fs from 'node:fs'

/** Clock ticks in a second, on Linux's usual architectures: sysconf(_SC_CLK_TCK). */
const ticksPerSecond = 100

export interface Process {
  readonly pid: number
  readonly parent: number
  readonly name: string
  /** Processor time of its threads and of its children that have ended, in seconds. */
  readonly seconds: number
}

export interface Session {
  readonly title: string
  readonly seconds: number
}

/** The processes of this machine, as proc_pid_stat(5) has them. Undefined on systems without Linux's procfs. */
export function readProcesses(): Process[] | undefined {
  if (!fs.existsSync('/proc/self/stat')) return undefined
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => readProcess(Number(pid)) ?? [])
}

/** Undefined where it has just ended. */
function readProcess(pid: number): Process | undefined {
  const stat = readOf(pid, 'stat')
  // The name may have spaces and parentheses in it.
  const end = stat.lastIndexOf(')')
  if (end < 0) return undefined
  const fields = stat.slice(end + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return {
    pid,
    parent: Number(fields[1]),
    name: stat.slice(stat.indexOf('(') + 1, end),
    seconds: ticks / ticksPerSecond,
  }
}

function readOf(pid: number, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Processor time of a process and of all its living descendants, in seconds. It falls when a descendant leaves its parent, as
 * daemons do, and takes along what it has used.
 */
export function usedBy(pid: number, processes: readonly Process[]): number {
  const childrenOf = Map.groupBy(processes, ({ parent }) => parent)
  const sum = ({ pid, seconds }: Process): number =>
    (childrenOf.get(pid) ?? []).reduce((total, child) => total + sum(child), seconds)
  return processes.filter((one) => one.pid === pid).reduce((total, one) => total + sum(one), 0)
}

/** The databases of a test process have its number in their names, and PostgreSQL names the database in the title of a session. */
export const databaseName = (pid: number, suffix: string): string => `muster_test_${pid}_${suffix}`

/** The sessions of PostgreSQL among the processes, with their titles: postgres(1), update_process_title. */
export const readSessions = (processes: readonly Process[]): Session[] =>
  processes
    .filter(({ name }) => name === 'postgres')
    .map(({ pid, seconds }) => ({ title: readOf(pid, 'cmdline'), seconds }))

/** Processor time of the sessions of a test process and of its descendants, in seconds. */
export function servedTo(pid: number, sessions: readonly Session[]): number {
  const part = ` ${databaseName(pid, '')}`
  return sessions.filter(({ title }) => title.includes(part)).reduce((total, { seconds }) => total + seconds, 0)
}

/** As `usedBy`, of this process; without procfs its descendants are left out. */
export function usedByThisProcess(): number {
  const processes = readProcesses()
  if (processes) return usedBy(process.pid, processes)
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
