import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, TestFile } from './classify-file.ts'
import type { Share } from './run-files.ts'

export interface Run {
  /** What node's test runner is given: a module for each process, named in the order in which they start. */
  readonly entries: readonly string[]
  /** Each file with its engine, to compare with what has ended. */
  readonly expected: readonly { readonly path: string; readonly engine: Engine }[]
  /** See `Share`. */
  readonly times: string
}

interface Plan {
  readonly root: string
  readonly files: readonly TestFile[]
  readonly engines: readonly Engine[]
  /** Where to write the entries; empty. */
  readonly folder: string
  /** How many processes share the files of an engine. */
  readonly concurrency: number
}

/**
 * Writes a module for each test process. The files that need a process of their own come early, as they are the longest, but
 * they wait much of their time; so one process for each engine starts before them, and takes file after file of those
 * that can share. The other sharing processes help it out in the end, the engines side by side.
 */
export function planRun({ root, files, engines, folder, concurrency }: Plan): Run {
  const times = join(folder, 'times.jsonl')
  const claimsOf = (engine: Engine) => join(folder, `claims-${engine}`)
  const runs = files.flatMap((file) => enginesFor(file, engines).map((engine) => ({ file, engine })))
  const share = (engine: Engine, first: string, rest: readonly string[]): Share => ({
    ...{ root, engine, first, files: rest, claims: claimsOf(engine), times },
  })
  const bySize = runs.toSorted((one, other) => sizeOf(root, other.file) - sizeOf(root, one.file))
  const own = bySize.filter(({ file }) => file.needsOwnProcess).map(({ file, engine }) => share(engine, file.path, []))
  const shared = engines.flatMap((engine) => {
    const paths = bySize
      .filter((run) => !run.file.needsOwnProcess && run.engine === engine)
      .map(({ file }) => file.path)
    const processes = Math.min(concurrency, paths.length)
    // A process that starts late, to help the others out, should not begin with a long file.
    const [rest, firsts] = [paths.slice(0, paths.length - processes), paths.slice(paths.length - processes)]
    mkdirSync(claimsOf(engine), { recursive: true })
    return firsts.map((first, index) => ({ index, share: share(engine, first, rest) }))
  })
  const sideBySide = shared.toSorted((one, other) => one.index - other.index).map((one) => one.share)
  const early = shared.filter(({ index }) => index === 0).length
  writeFileSync(times, '')
  const inOrder = [...sideBySide.slice(0, early), ...own, ...sideBySide.slice(early)]
  const entries = inOrder.map((one, index) => writeEntry(folder, index, one))
  return { entries, expected: runs.map(({ file, engine }) => ({ path: file.path, engine })), times }
}

/**
 * A file that does not depend on the engine runs once, on whichever there is. A browser sees the same on both, and its
 * server takes less of the processor on PostgreSQL.
 */
function enginesFor(file: TestFile, engines: readonly Engine[]): readonly Engine[] {
  if (file.kind === 'browser' && engines.includes('postgres')) return ['postgres']
  const found = file.engines.filter((engine) => engines.includes(engine))
  return found.length > 0 ? found : engines.slice(0, 1)
}

const sizeOf = (root: string, { path }: TestFile) => statSync(join(root, path)).size

/** Named by its number, since node's test runner sorts what it is given. */
function writeEntry(folder: string, index: number, share: Share): string {
  const entry = join(folder, `${String(index).padStart(3, '0')}.mjs`)
  const module = join(share.root, 'scripts/test-run/run-files.ts')
  writeFileSync(entry, `import { runFiles } from '${module}'\nawait runFiles(${JSON.stringify(share)})\n`)
  return entry
}
