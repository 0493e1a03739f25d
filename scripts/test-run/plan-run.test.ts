import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Engine, TestFile } from './classify-file.ts'
import { takeFrom } from './file-queue.ts'
import { planRun } from './plan-run.ts'
import { findUnfinished, formatTimes, formatUnfinished } from './report-times.ts'
import type { Share } from './run-files.ts'

const root = mkdtempSync(join(tmpdir(), 'muster-plan-run-'))
after(() => rmSync(root, { recursive: true, force: true }))

/** The larger, the longer. */
function file(path: string, kind: TestFile['kind'], engines: readonly Engine[], size: number): TestFile {
  writeFileSync(join(root, path), ' '.repeat(size))
  return { path, kind, engines, needsOwnProcess: kind === 'browser' || kind === 'processes' }
}
const both: readonly Engine[] = ['pglite', 'postgres']
const files = [
  file('page', 'browser', ['pglite'], 9),
  file('kills', 'processes', ['postgres'], 5),
  file('plain', 'plain', ['pglite'], 1),
  file('small', 'database', both, 2),
  file('large', 'database', both, 8),
]

function plan(engines: readonly Engine[]): { shares: string[]; expected: string[] } {
  const folder = mkdtempSync(join(root, 'plan-'))
  const { entries, expected } = planRun({ root: `${root}/`, files, engines, folder, concurrency: 2 })
  const shares = entries.map(
    (entry) => JSON.parse(/runFiles\((.*)\)/.exec(readFileSync(entry, 'utf8'))?.[1] ?? '') as Share,
  )
  return {
    shares: shares.map(({ engine, first, files: rest }) => `${engine}: ${[first, ...rest].join(' ')}`),
    expected: expected.map(({ path, engine }) => `${path} ${engine}`),
  }
}

test('what depends on the engine runs on both, all else once; a process for each engine starts before the rest', () => {
  const { shares, expected } = plan(both)
  assert.deepEqual(shares, [
    ...['pglite: small large', 'postgres: large'],
    ...['postgres: page', 'postgres: kills'],
    ...['pglite: plain large', 'postgres: small'],
  ])
  assert.deepEqual(expected.sort(), [
    ...['kills postgres', 'large pglite', 'large postgres', 'page postgres'],
    ...['plain pglite', 'small pglite', 'small postgres'],
  ])
})

test('on one engine every file runs there', () => {
  assert.deepEqual(plan(['postgres']).expected.length, 5)
  assert.ok(plan(['postgres']).expected.every((run) => run.endsWith('postgres')))
})

test('a file of a queue is taken by one process only', () => {
  const claims = join(root, 'claims')
  mkdirSync(claims)
  const taken = Array.from({ length: 3 }, () => takeFrom(claims, ['one', 'two']))
  assert.deepEqual(taken, ['one', 'two', undefined])
})

test('times are added up by kind, and what has not ended is named', () => {
  const time = { path: 'large', engine: 'postgres' as const, seconds: 2, cpuSeconds: 1 }
  assert.deepEqual(formatTimes([time, { ...time, path: 'small', seconds: 1 }], files), [
    '── time of the test files, added up',
    '    3 s (processor 2 s)  2 files on PostgreSQL',
    '── the longest',
    ...['    2 s  large (postgres)', '    1 s  small (postgres)'],
  ])
  assert.deepEqual(findUnfinished([time], [time, { path: 'page', engine: 'pglite' }]), [
    { path: 'page', engine: 'pglite' },
  ])
})

test('of a run that broke off, some files and their number are named', () => {
  const unfinished = Array.from({ length: 30 }, (_, index) => ({ path: `${index}.test.ts`, engine: 'pglite' as const }))
  const lines = formatUnfinished(unfinished)
  assert.equal(lines.length, 21)
  assert.equal(lines[0], '✖ 0.test.ts (pglite) has not ended')
  assert.equal(lines.at(-1), '✖ 10 more have not ended')
  assert.deepEqual(formatUnfinished(unfinished.slice(0, 1)), ['✖ 0.test.ts (pglite) has not ended'])
})
