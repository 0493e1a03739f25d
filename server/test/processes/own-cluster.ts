import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Hooks } from '../support/muster-process.ts'

const script = fileURLToPath(new URL('../../../scripts/with-postgres.ts', import.meta.url))
const holder = 'console.log(process.env.MUSTER_TEST_DATABASE_URL); process.stdin.resume()'
const run = promisify(execFile)

export type OwnCluster = {
  url: string
  /** The folder of its data; beside it there is room for more. */
  data: string
  /** Runs a program as the server's user, with the server's programs in PATH. */
  run(...command: string[]): Promise<{ stdout: string; stderr: string }>
  /** As a crash of the server does. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Sessions are told that the server goes down; it is back when this resolves. */
  restart(): Promise<void>
}

/** A PostgreSQL that a test may stop, as nobody else uses it, and that keeps what it commits; undefined where none is installed. Gone after the test. */
export async function openOwnCluster(hooks: Hooks): Promise<OwnCluster | undefined> {
  const child = spawn(process.execPath, [script, '--durable', '--', process.execPath, '-e', holder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  hooks.after(async () => {
    child.stdin.end()
    await exited
  })
  const lines = createInterface(child.stdout)
  const url = await Promise.race([once(lines, 'line').then(([line]) => String(line)), exited.then(() => undefined)])
  if (url === undefined) return undefined
  const { data, binaries } = await placeOf(url)
  // What it was started with follows the name of its folder.
  const written = await readFile(join(data, 'postmaster.opts'), 'utf8')
  const options = written.slice(written.indexOf(data) + data.length + 1).trim()
  const runAsServer = (...command: string[]) => {
    const inPath = ['env', `PATH=${binaries}:${process.env['PATH']}`, ...command]
    // PostgreSQL refuses to run as root.
    const [file = '', ...rest] = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...inPath] : inPath
    return run(file, rest, { cwd: join(data, '..') })
  }
  const control = async (...words: string[]) => {
    await runAsServer('pg_ctl', '-D', data, '-s', '-w', ...words)
  }
  const log = ['-l', join(data, '..', 'log')]
  return {
    ...{ url, data, run: runAsServer },
    stop: () => control('-m', 'immediate', 'stop'),
    start: () => control(...log, '-o', options, 'start'),
    restart: () => control(...log, '-m', 'fast', 'restart'),
  }
}

async function placeOf(url: string): Promise<{ data: string; binaries: string }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select current_setting('data_directory') as data, setting as binaries from pg_config where name = 'BINDIR'`,
    )
    return rows[0]
  } finally {
    await client.end()
  }
}
