import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
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

function findOnPath(): string | undefined {
  const program = process.platform === 'win32' ? 'osqueryi.exe' : 'osqueryi'
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}
