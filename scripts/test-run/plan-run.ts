import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, TestFile } from './classify-file.ts'
import type { Limits } from './file-limits.ts'
import type { Share } from './run-files.ts'

/** All on the embedded engine; each file once, on PostgreSQL unless it is about the embedded engine; or what reads a database on both. */
export type Mode = 'embedded' | 'once' | 'both'

/** A file on an engine. */
export interface FileRun {
  readonly file: TestFile
  readonly engine: Engine
}

export interface Run {
  /** What node's test runner is given: a module for each process, named in the order in which they start. */
  readonly entries: readonly string[]
  readonly runs: readonly FileRun[]
  /** See `Share`. */
  readonly times: string
  readonly limits: Limits
}

interface Plan {
  readonly root: string
  readonly runs: readonly FileRun[]
  /** Where to write the entries. */
  readonly folder: string
  /** How many processes share the files of an engine, and how many those in a browser. */
  readonly sharing: Readonly<Record<Engine | 'browser', number>>
  /** How long a file is expected to take, in seconds. */
  readonly secondsOf: (file: TestFile) => number
  readonly limits: Limits
}

export const runsOf = (files: readonly TestFile[], mode: Mode): FileRun[] =>
  files.flatMap((file) => enginesFor(file, mode).map((engine) => ({ file, engine })))

function enginesFor({ kind, isEmbedded }: TestFile, mode: Mode): readonly Engine[] {
  if (mode === 'embedded') return ['pglite']
  if (mode === 'both' && kind === 'database') return ['pglite', 'postgres']
  return [isEmbedded ? 'pglite' : 'postgres']
}

/**
 * Writes a module for each test process. The longest start first. Files that need a process of their own wait much of their
 * time, so one process for each engine starts before them, and takes file after file of those that can share, and so do those
 * that share a browser; the other sharing processes follow when there is nothing to wait for anymore.
 */
export function planRun({ root, runs, folder, sharing, secondsOf, limits }: Plan): Run {
  const own = mkdtempSync(join(folder, 'run-'))
  const times = join(own, 'times.jsonl')
  writeFileSync(times, '')
  const bySeconds = runs.toSorted((one, other) => secondsOf(other.file) - secondsOf(one.file))
  const share = (engine: Engine, queue: string, first: string, rest: readonly string[]): Share => {
    const claims = join(own, `claims-${queue}-${engine}`)
    return { root, engine, first, files: rest, claims, times, limits }
  }
  const pathsOf = (engine: Engine, inBrowser: boolean) =>
    bySeconds
      .filter((run) => run.engine === engine && !run.file.needsOwnProcess)
      .filter(({ file }) => (file.kind === 'browser') === inBrowser)
      .map(({ file }) => file.path)
  const divide = (engine: Engine, queue: 'browser' | 'engine', startsEarly: boolean): Share[] => {
    const paths = pathsOf(engine, queue === 'browser')
    const processes = Math.min(sharing[queue === 'browser' ? queue : engine], paths.length)
    mkdirSync(join(own, `claims-${queue}-${engine}`))
    // A process that starts late, to help the others out, should not begin with a long file.
    const from = startsEarly ? 0 : paths.length - processes
    const rest = paths.toSpliced(from, processes)
    return paths.slice(from, from + processes).map((first) => share(engine, queue, first, rest))
  }
  const engines = ['postgres', 'pglite'] as const
  const onEngines = engines.map((engine) => divide(engine, 'engine', false))
  const inBrowsers = engines.flatMap((engine) => divide(engine, 'browser', true))
  const alone = bySeconds
    .filter(({ file }) => file.needsOwnProcess)
    .map(({ file, engine }) => share(engine, 'alone', file.path, []))
  const late = Array.from({ length: Math.max(...engines.map((engine) => sharing[engine])) - 1 }, (_, index) =>
    onEngines.flatMap((shares) => shares.slice(index + 1, index + 2)),
  )
  const inOrder = [...onEngines.flatMap((shares) => shares.slice(0, 1)), ...inBrowsers, ...alone, ...late.flat()]
  return { entries: inOrder.map((one, index) => writeEntry(own, index, one)), runs, times, limits }
}

/** Named by its number, since node's test runner sorts what it is given. */
function writeEntry(folder: string, index: number, share: Share): string {
  const entry = join(folder, `${String(index).padStart(3, '0')}.mjs`)
  const module = new URL('run-files.ts', import.meta.url).href
  writeFileSync(entry, `import { runFiles } from '${module}'\nawait runFiles(${JSON.stringify(share)})\n`)
  return entry
}
