import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findOsqueryi } from '../sql/osqueryi-runner.ts'

/** osquery's shell, and what its program is told before all else. */
export type InstalledShell = { path: string; flags: readonly string[] }

const macDaemon = '/opt/osquery/lib/osquery.app/Contents/MacOS/osqueryd'

/** At its usual places and then on PATH. */
export function findShell(): InstalledShell | undefined {
  const path = findOsqueryi(process.platform) ?? findOnPath()
  return path === undefined ? undefined : { path, flags: [] }
}

/**
 * For a service that runs as root. On a Mac osquery's own folder alone: others, as Homebrew's, are written by people. The daemon is the
 * shell there when it is told so.
 */
export function findShellForService(platform = process.platform, daemon = macDaemon): InstalledShell | undefined {
  if (platform !== 'darwin') return findShell()
  return existsSync(daemon) ? { path: daemon, flags: ['-S'] } : undefined
}

type Waiting = {
  find: () => InstalledShell | undefined
  log: (line: string) => void
  signal: AbortSignal
  /** 1000 but in tests. */
  secondMs?: number
}

/** Waits until osquery is installed, and looks once a minute. Undefined once `signal` aborts. */
export async function awaitShell({ find, log, signal, secondMs = 1000 }: Waiting): Promise<InstalledShell | undefined> {
  for (let isTold = false; !signal.aborted; isTold = true) {
    const found = find()
    if (found && isTold) log('companion: osquery is installed now')
    if (found) return found
    if (!isTold) log('companion: osquery is not installed. It waits for osquery 5 from https://osquery.io/downloads')
    await sleep(60 * secondMs, undefined, { signal }).catch(() => {})
  }
  return undefined
}

function findOnPath(): string | undefined {
  const program = process.platform === 'win32' ? 'osqueryi.exe' : 'osqueryi'
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}
