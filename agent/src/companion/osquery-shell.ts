import { readFile } from 'node:fs/promises'
import { osqueryiRunner } from '../sql/osqueryi-runner.ts'
import type { QueryRunner } from '../sql/query-runner.ts'
import type { InstalledShell } from './installed-shell.ts'

/** Flags that change what a table answers: osquery's shell has to see what the daemon sees. */
const tableFlags: ReadonlySet<string> = new Set([
  ...['disable_tables', 'enable_tables', 'read_max', 'augeas_lenses', 'docker_socket', 'lxd_socket'],
])

const flagFiles: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/etc/osquery/osquery.flags',
  darwin: '/var/osquery/osquery.flags',
  win32: 'C:\\Program Files\\osquery\\osquery.flags',
}

/** What the daemon of this system reads its flags from. */
const daemonFlagFile = (platform: NodeJS.Platform): string => flagFiles[platform] ?? '/etc/osquery/osquery.flags'

/** Those of the daemon's flags that the shell takes, too. */
export function sharedFlags(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => /^\s*--?([a-z_]+)=(.*?)\s*$/.exec(line))
    .flatMap((found) => {
      const [, name = '', value = ''] = found ?? []
      return tableFlags.has(name) ? [`--${name}=${value}`] : []
    })
}

/** What a program needs of its surroundings, and nothing that could be read as a flag or a place of the daemon's. */
const keptVariables = ['PATH', 'HOME', 'LANG', 'SystemRoot', 'SystemDrive', 'windir', 'TEMP', 'TMP', 'ProgramData']

const keptEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(keptVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))

/**
 * Asks osquery's shell, a process for each query. Without a flag file of its own the shell reads the one of the
 * installation, by which it could enroll; it is given an empty one.
 */
export function osqueryShell(
  { path, flags }: InstalledShell,
  flagFile = daemonFlagFile(process.platform),
): Pick<QueryRunner, 'run'> {
  const none = `--flagfile=${process.platform === 'win32' ? 'NUL' : '/dev/null'}`
  return {
    async run(sql, facts) {
      const text = await readFile(flagFile, 'utf8').catch(() => '')
      const runner = osqueryiRunner(path, { flags: [...flags, none, ...sharedFlags(text)], env: keptEnvironment() })
      return runner.run(sql, facts)
    },
  }
}

/** Whether only the daemon can answer: tables of events are empty in a shell, which has recorded none. */
export const isOfEvents = (sql: string): boolean => /\b\w+_events\b/i.test(sql)
