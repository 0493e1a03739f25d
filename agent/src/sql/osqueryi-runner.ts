import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { QueryAnswer } from './open-engine.ts'
import { noCost, type QueryRunner, queryLimitMs } from './query-runner.ts'

const places: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: ['/usr/bin/osqueryi', '/opt/osquery/bin/osqueryi', '/usr/local/bin/osqueryi'],
  darwin: [
    '/usr/local/bin/osqueryi',
    '/opt/osquery/lib/osquery.app/Contents/MacOS/osqueryi',
    '/opt/homebrew/bin/osqueryi',
  ],
  win32: ['C:\\Program Files\\osquery\\osqueryi.exe', 'C:\\ProgramData\\osquery\\osqueryi.exe'],
}

/** Where osquery's shell is installed, or undefined. */
export function findOsqueryi(platform: NodeJS.Platform): string | undefined {
  return places[platform]?.find((path) => existsSync(path))
}

type Settings = {
  limitMs?: number
  /** Flags before `--json`: osqueryd is the shell where its first says so. */
  flags?: readonly string[]
  /** The environment of the process; this one's when not given. */
  env?: NodeJS.ProcessEnv
}

/** Answers through `osqueryi --json`, a process for each query. */
export function osqueryiRunner(path: string, settings: Settings = {}): QueryRunner {
  return {
    run: (sql) => askOsqueryi(path, sql, settings),
    close: async () => undefined,
  }
}

function askOsqueryi(
  path: string,
  sql: string,
  { limitMs = queryLimitMs, flags = [], env = process.env }: Settings,
): Promise<QueryAnswer> {
  // A leading dot is a command of the shell, not SQL.
  if (sql.trimStart().startsWith('.')) return Promise.resolve(failed('not SQL', 0))
  const started = performance.now()
  return new Promise((resolve) => {
    const limits = { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 } as const
    const options = { ...limits, env, windowsHide: true }
    // The space keeps a query that starts with a comment (--) from being read as a flag.
    execFile(path, [...flags, '--json', ` ${sql}`], options, (error, stdout, stderr) => {
      const wallTimeMs = Math.round(performance.now() - started)
      if (error?.killed) return resolve(failed(`query interrupted after ${limitMs / 1000} s`, wallTimeMs))
      if (error) return resolve(failed(firstError(stderr) ?? error.message, wallTimeMs))
      resolve(readRows(stdout, wallTimeMs))
    })
  })
}

function readRows(stdout: string, wallTimeMs: number): QueryAnswer {
  try {
    return { ok: true, rows: JSON.parse(stdout) as Record<string, string>[], cost: { ...noCost, wallTimeMs } }
  } catch {
    return failed('osqueryi did not answer JSON', wallTimeMs)
  }
}

const failed = (message: string, wallTimeMs: number): QueryAnswer => ({
  ok: false,
  message,
  cost: { ...noCost, wallTimeMs },
})

const firstError = (stderr: string) => /^Error:\s*(.+)$/m.exec(stderr)?.[1]
