import { appendFileSync, closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, mock, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startOf } from '../../server/src/base/process-start.ts'
import type { Engine } from './classify-file.ts'
import type { Limits } from './file-limits.ts'
import { usedByThisProcess } from './process-use.ts'
import { sharedProcess } from './shared-process.ts'

/** What a test process is to run: `first`, and then what is left of `files` when other processes have had theirs. */
export interface Share {
  readonly root: string
  readonly limits: Limits
  readonly engine: Engine
  readonly first: string
  readonly files: readonly string[]
  /** Where the processes mark which of `files` they have taken. */
  readonly claims: string
  /** A line of JSON (`ProcessNote`) is added to it when a file begins and ends, and when the process has no more. */
  readonly times: string
}

/** Wall time, and processor time as `usedByThisProcess` has it; in seconds. */
export interface FileTime {
  readonly path: string
  readonly engine: Engine
  readonly seconds: number
  readonly cpuSeconds: number
}

/** What a process did, and which it was where `startOf` is known. `usedSeconds` is what it had used until then. */
export type ProcessNote = { readonly pid: number; readonly startedAt?: string } & (
  | { readonly what: 'begin'; readonly path: string; readonly usedSeconds: number }
  | ({ readonly what: 'end'; readonly usedSeconds: number } & FileTime)
  | { readonly what: 'done' }
)

/** What the watch over the processes tells one whose file is past a limit. */
export interface Verdict {
  readonly startedAt: string | undefined
  readonly path: string
  readonly reason: string
}

export const verdictFile = (times: string, pid: number): string => `${times}.${pid}`

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
  setTimeout(() => endLeftOpen(last), share.limits.graceMs).unref()
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

type Noted<Note> = Note extends ProcessNote ? Omit<Note, 'pid' | 'startedAt'> : never

const startedAt = startOf(process.pid)

function note(times: string, what: Noted<ProcessNote>): void {
  appendFileSync(times, `${JSON.stringify({ pid: process.pid, startedAt, ...what })}\n`)
}

/** The hooks and tests of the file belong to its suite, since it is imported within; resolves after its last hook. */
async function runFile({ root, engine, times, limits }: Share, path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const beganAt = performance.now()
  const usedBefore = usedByThisProcess()
  const environment = JSON.stringify(process.env)
  note(times, { what: 'begin', path, usedSeconds: usedBefore })
  const verdict = awaitVerdict(times, path)
  // Where nobody watches, the last limit is the only one.
  describe(suiteName(path, engine), { timeout: limits.lastMs, signal: verdict.signal }, async () => {
    try {
      await import(pathToFileURL(root + path).href)
    } catch (error) {
      // As a test, so that it counts as one.
      test('the file can be loaded', () => {
        throw error
      })
    }
    after(() => {
      mock.reset()
      verdict.stop()
      const seconds = (performance.now() - beganAt) / 1000
      const usedSeconds = usedByThisProcess()
      note(times, { what: 'end', path, engine, seconds, cpuSeconds: usedSeconds - usedBefore, usedSeconds })
      resolve()
      if (JSON.stringify(process.env) !== environment) {
        throw new Error(`${path} leaves the environment of its process changed for the files that come after it`)
      }
    })
  })
  await promise
}

/** Its signal aborts with what `endLateProcesses` says of the file. */
function awaitVerdict(times: string, path: string): { signal: AbortSignal; stop(): void } {
  const file = verdictFile(times, process.pid)
  const late = new AbortController()
  const timer = setInterval(() => {
    if (!existsSync(file)) return
    const verdict = JSON.parse(readFileSync(file, 'utf8')) as Verdict
    // An earlier one may be about the file before, or about a process that had this number.
    if (verdict.path === path && verdict.startedAt === startedAt) late.abort(new Error(`${path} ${verdict.reason}`))
  }, 1_000).unref()
  return { signal: late.signal, stop: () => clearInterval(timer) }
}
