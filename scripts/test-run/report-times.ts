import { readFileSync } from 'node:fs'
import type { TestFile } from './classify-file.ts'
import type { FileTime } from './run-files.ts'

const slowest = 10
const headings: Record<string, string> = {
  'stranger pglite': 'with programs of others',
  'stranger postgres': 'with programs of others, on PostgreSQL',
  'browser pglite': 'in a browser',
  'browser postgres': 'in a browser, on PostgreSQL',
  'processes pglite': 'with child processes, on the embedded PGlite',
  'processes postgres': 'with child processes, on PostgreSQL',
  'database pglite': 'on the embedded PGlite',
  'database postgres': 'on PostgreSQL',
  'plain pglite': 'without a database',
  'plain postgres': 'without a database',
}

/** The files that have ended, as the test processes noted them. */
export const readTimes = (file: string): FileTime[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FileTime)

/** Lines that say how long the groups of files took, and which files took longest. */
export function formatTimes(times: readonly FileTime[], files: readonly TestFile[]): string[] {
  const kinds = new Map(files.map(({ path, kind }) => [path, kind]))
  const groups = Map.groupBy(times, ({ path, engine }) => headings[`${kinds.get(path)} ${engine}`] ?? engine)
  const lines = [...groups].map(([heading, group]) => {
    const sum = (of: (time: FileTime) => number) => group.reduce((total, time) => total + of(time), 0).toFixed(0)
    return `${sum(({ seconds }) => seconds).padStart(5)} s (processor ${sum(({ cpuSeconds }) => cpuSeconds)} s)  ${group.length} files ${heading}`
  })
  const longest = times.toSorted((one, other) => other.seconds - one.seconds).slice(0, slowest)
  const named = longest.map(({ seconds, path, engine }) => `${seconds.toFixed(0).padStart(5)} s  ${path} (${engine})`)
  return ['── time of the test files, added up', ...lines, '── the longest', ...named]
}

/** What was to run and has not ended: its process broke off. */
export function findUnfinished(times: readonly FileTime[], expected: readonly Pick<FileTime, 'path' | 'engine'>[]) {
  const ended = new Set(times.map(({ path, engine }) => `${path} ${engine}`))
  return expected.filter(({ path, engine }) => !ended.has(`${path} ${engine}`))
}

const maxNamed = 20

/** One line for each, of which a run that was broken off would have hundreds. */
export function formatUnfinished(unfinished: readonly Pick<FileTime, 'path' | 'engine'>[]): string[] {
  const named = unfinished.slice(0, maxNamed).map(({ path, engine }) => `✖ ${path} (${engine}) has not ended`)
  const left = unfinished.length - named.length
  return left === 0 ? named : [...named, `✖ ${left} more have not ended`]
}
