import { readFileSync } from 'node:fs'
import type { TestFile } from './classify-file.ts'
import type { FileRun } from './plan-run.ts'
import { type FileTime, type ProcessNote, suiteName } from './run-files.ts'

const slowest = 10
const headings: Record<TestFile['kind'], string> = {
  stranger: 'with programs of others',
  browser: 'in a browser',
  processes: 'with child processes',
  database: 'with a database',
  plain: 'without a database',
}

/** What the test processes noted, in the order in which they did. */
export const readNotes = (file: string): ProcessNote[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ProcessNote)

/** The files that have ended. */
export const timesOf = (notes: readonly ProcessNote[]): FileTime[] => notes.filter((one) => one.what === 'end')

/** Lines that say how long the groups of files took, and which files took longest. */
export function formatTimes(times: readonly FileTime[], files: readonly TestFile[]): string[] {
  const kinds = new Map(files.map(({ path, kind }) => [path, kind]))
  const groups = Map.groupBy(times, ({ path, engine }) => {
    const kind = kinds.get(path) ?? 'plain'
    return headings[kind] + (engine === 'pglite' && kind !== 'plain' ? ', on the embedded engine' : '')
  })
  const lines = [...groups].map(([heading, group]) => {
    const sum = (of: (time: FileTime) => number) => group.reduce((total, time) => total + of(time), 0).toFixed(0)
    return `${sum(({ seconds }) => seconds).padStart(5)} s (processor ${sum(({ cpuSeconds }) => cpuSeconds)} s)  ${group.length} files ${heading}`
  })
  const longest = times.toSorted((one, other) => other.seconds - one.seconds).slice(0, slowest)
  const named = longest.map(
    ({ seconds, cpuSeconds, path, engine }) =>
      `${seconds.toFixed(0).padStart(5)} s (processor ${cpuSeconds.toFixed(0)} s)  ${suiteName(path, engine)}`,
  )
  return ['── time of the test files, added up', ...lines, '── the longest', ...named]
}

/** What was to run and has not ended: its process broke off. */
export function findUnfinished(times: readonly FileTime[], runs: readonly FileRun[]): FileRun[] {
  const ended = new Set(times.map(({ path, engine }) => suiteName(path, engine)))
  return runs.filter(({ file, engine }) => !ended.has(suiteName(file.path, engine)))
}

const maxNamed = 20

/** One line for each, of which a run that was broken off would have hundreds. */
export function formatUnfinished(unfinished: readonly FileRun[]): string[] {
  const named = unfinished
    .slice(0, maxNamed)
    .map(({ file, engine }) => `✖ ${suiteName(file.path, engine)} has not ended`)
  const left = unfinished.length - named.length
  return left === 0 ? named : [...named, `✖ ${left} more have not ended`]
}
