import { readFileSync, writeFileSync } from 'node:fs'
import type { TestFile } from './classify-file.ts'
import type { FileTime } from './run-files.ts'

const file = new URL('seconds.json', import.meta.url)

/** Of a file that is not in the record yet. */
const usual: Record<TestFile['kind'], number> = { stranger: 20, browser: 40, processes: 30, database: 2, plain: 1 }

/** How long each file took when it was last recorded, in seconds; a file that is new since then takes what its kind does. */
export function readSeconds(): (one: TestFile) => number {
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
  return ({ path, kind }) => recorded[path] ?? usual[kind]
}

/** Keeps the times of a run, and of files that it left out what was recorded before. */
export function recordSeconds(times: readonly FileTime[], paths: readonly string[]): void {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
  const recorded = {
    ...before,
    ...Object.fromEntries(times.map(({ path, seconds }) => [path, Number(seconds.toFixed(1))])),
  }
  const there = Object.entries(recorded).filter(([path]) => paths.includes(path))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(there.sort()), null, 2)}\n`)
}
