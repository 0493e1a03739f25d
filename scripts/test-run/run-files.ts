import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, mock, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startOf } from '../../server/src/base/process-start.ts'
import type { Engine } from './classify-file.ts'
import { sharedProcess } from './shared-process.ts'

/** How long a file may take, and how much longer than its files a process; in milliseconds. */
export interface Limits {
  readonly limitMs: number
  readonly graceMs: number
}

/** What a test process is to run: `first`, and then what is left of `files` when other processes have had theirs. */
export interface Share extends Limits {
  readonly root: string
  readonly engine: Engine
  readonly first: string
  readonly files: readonly string[]
  /** Where the processes mark which of `files` they have taken. */
  readonly claims: string
  /** A line of JSON (`ProcessNote`) is added to it when a file begins and ends, and when the process has no more. */
  readonly times: string
}

/** Wall time and processor time of this process with its threads, and on Linux of its children that have ended; in seconds. */
export interface FileTime {
  readonly path: string
  readonly engine: Engine
  readonly seconds: number
  readonly cpuSeconds: number
}

/** What a process did, and when in milliseconds since 1970. Which process it was is known where `startOf` is. */
export type ProcessNote = { readonly pid: number; readonly startedAt?: string; readonly atMs: number } & (
  | { readonly what: 'begin'; readonly path: string }
  | ({ readonly what: 'end' } & FileTime)
  | { readonly what: 'done' }
)

/** How the suite of a file is called. */
export const suiteName = (path: string, engine: Engine): string => (engine === 'pglite' ? `${path} (embedded)` : path)

/**
 * Runs the files of a share in this process, one after the other, each as a suite that has the file's name.
 * @forTests their entry, which is written again for each share, calls it.
 */
export async function runFiles(share: Share): Promise<void> {
  if (share.engine === 'pglite') delete process.env['MUSTER_TEST_DATABASE_URL']
  sharedProcess.isShared = share.files.length > 0
  let last = share.first
  for (let path: string | undefined = last; path; path = takeFrom(share.claims, share.files)) {
    last = path
    await runFile(share, path)
  }
  for (const close of sharedProcess.closeAtEnd) await close()
  note(share.times, { what: 'done' })
  // It keeps no process alive: one that is there to hear it is kept alive by what a file has left open.
  setTimeout(() => endLeftOpen(last), share.graceMs).unref()
}

/** Written at once, since the process ends. */
function endLeftOpen(last: string): void {
  const open = [...new Set(process.getActiveResourcesInfo())].join(', ')
  writeSync(
    2,
    `✖ ${last}, or a file before it in its process, has left something open (${open}): the process is ended\n`,
  )
  process.exit(1)
}

/** Takes the next file that no other process has taken; undefined when none is left. */
export function takeFrom(folder: string, files: readonly string[]): string | undefined {
  return files.find((_, index) => claim(join(folder, String(index))))
}

/** Creating a file that must not exist is what exactly one process succeeds with. */
function claim(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

type Noted<Note> = Note extends ProcessNote ? Omit<Note, 'pid' | 'startedAt' | 'atMs'> : never

const startedAt = startOf(process.pid)

function note(times: string, what: Noted<ProcessNote>): void {
  appendFileSync(times, `${JSON.stringify({ pid: process.pid, startedAt, atMs: Date.now(), ...what })}\n`)
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childrenSeconds()
}

/** Fields 16 and 17 of proc_pid_stat(5), in hundredths of a second on Linux's usual architectures. */
function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** The hooks and tests of the file belong to its suite, since it is imported within; resolves after its last hook. */
async function runFile({ root, engine, times, limitMs }: Share, path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const beganAt = performance.now()
  const cpuBefore = processorSeconds()
  const environment = JSON.stringify(process.env)
  note(times, { what: 'begin', path })
  describe(suiteName(path, engine), { timeout: limitMs }, async () => {
    try {
      await import(pathToFileURL(root + path).href)
    } catch (error) {
      // As a test, so that it counts as one.
      test('the file can be loaded', () => {
        throw error
      })
    }
    after(() => {
      const seconds = (performance.now() - beganAt) / 1000
      note(times, { what: 'end', path, engine, seconds, cpuSeconds: processorSeconds() - cpuBefore })
      resolve()
      mock.reset()
      if (JSON.stringify(process.env) !== environment) {
        throw new Error(`${path} leaves the environment of its process changed for the files that come after it`)
      }
    })
  })
  await promise
}
