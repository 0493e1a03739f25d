import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { NotCollected } from '../tables/not-collected.ts'
import type { Query } from '../tables/table.ts'

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin']
const maxOutputBytes = 32 * 1024 * 1024

/** Where a program of the system lies, or undefined; the PATH that the agent was started with is not trusted. */
export function findCommand(name: string): string | undefined {
  return folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
}

/** Runs a program without a shell, within the time left to the query. A missing or failing one is "not collected". */
export function runCommand(query: Query, name: string, args: string[], limitMs = 5_000): string {
  const path = findCommand(name)
  if (!path) throw new NotCollected(`${name} is not installed`)
  const result = spawnSync(path, args, {
    encoding: 'utf8',
    shell: false,
    timeout: Math.ceil(Math.min(limitMs, query.remainingMs())),
    killSignal: 'SIGKILL',
    maxBuffer: maxOutputBytes,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: folders.join(':'), LC_ALL: 'C.UTF-8' },
  })
  query.remainingMs()
  if (result.error) throw new NotCollected(`${name} did not answer: ${result.error.message}`)
  if (result.status !== 0) {
    const said = result.stderr.trim().split('\n')[0] ?? ''
    throw new NotCollected(`${name} failed with status ${result.status}${said === '' ? '' : `: ${said}`}`)
  }
  return result.stdout
}
