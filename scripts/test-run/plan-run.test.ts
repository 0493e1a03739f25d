import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TestFile } from './classify-file.ts'
import { type Mode, planRun, runsOf } from './plan-run.ts'
import { findUnfinished, formatTimes, formatUnfinished } from './report-times.ts'
import { type Share, takeFrom } from './run-files.ts'

const root = mkdtempSync(join(tmpdir(), 'muster-plan-run-'))
after(() => rmSync(root, { recursive: true, force: true }))

const seconds = new Map<string, number>()
function file(path: string, kind: TestFile['kind'], takes: number, isEmbedded = false): TestFile {
  seconds.set(path, takes)
  return { path, kind, isEmbedded, needsOwnProcess: kind === 'processes', isRetried: false }
}
const files = [
  file('page', 'browser', 9),
  file('list', 'browser', 5),
  file('gate', 'browser', 7),
  file('kills', 'processes', 15),
  file('plain', 'plain', 1),
  file('small', 'database', 2),
  file('large', 'database', 8),
  file('engine', 'plain', 4, true),
  file('flow', 'database', 6, true),
]

function plan(mode: Mode) {
  const folder = mkdtempSync(join(root, 'plan-'))
  const runs = runsOf(files, mode)
  const { entries } = planRun({
    ...{ root: `${root}/`, runs, folder, limits: { processorMs: 1_000, idleMs: 1_000, lastMs: 1_000, graceMs: 1_000 } },
    sharing: { postgres: 2, pglite: mode === 'once' ? 1 : 2, browser: 2 },
    secondsOf: ({ path }) => seconds.get(path) ?? 0,
  })
  const shares = entries.map(
    (entry) => JSON.parse(/runFiles\((.*)\)/.exec(readFileSync(entry, 'utf8'))?.[1] ?? '') as Share,
  )
  return {
    shares: shares.map(({ engine, first, files: rest }) => `${engine}: ${[first, ...rest].join(' ')}`),
    runs: runs.map((run) => `${run.file.path} ${run.engine}`).sort(),
  }
}

test('each file runs once, on PostgreSQL unless it is about the embedded engine', () => {
  assert.deepEqual(plan('once').runs, [
    ...['engine pglite', 'flow pglite', 'gate postgres', 'kills postgres', 'large postgres'],
    ...['list postgres', 'page postgres', 'plain postgres', 'small postgres'],
  ])
})

test('the longest start first; a process for each engine and all browsers start before them, and the others follow', () => {
  assert.deepEqual(plan('once').shares, [
    ...['postgres: small large', 'pglite: engine flow'],
    ...['postgres: page list', 'postgres: gate list', 'postgres: kills'],
    'postgres: plain large',
  ])
})

test('what reads a database runs on both engines when both are asked for, all else once', () => {
  const { runs } = plan('both')
  for (const path of ['small', 'large', 'flow']) {
    assert.deepEqual(
      runs.filter((run) => run.startsWith(path)),
      [`${path} pglite`, `${path} postgres`],
    )
  }
  assert.equal(runs.length, files.length + 3)
})

test('without PostgreSQL every file runs on the embedded engine', () => {
  assert.equal(plan('embedded').runs.length, files.length)
  assert.ok(plan('embedded').runs.every((run) => run.endsWith('pglite')))
})

test('a file of a queue is taken by one process only', () => {
  const claims = join(root, 'claims')
  mkdirSync(claims)
  const taken = Array.from({ length: 3 }, () => takeFrom(claims, ['one', 'two']))
  assert.deepEqual(taken, ['one', 'two', undefined])
})

const runOf = (path: string) => {
  const found = files.find((one) => one.path === path)
  assert.ok(found)
  return { file: found, engine: 'postgres' as const }
}

test('times are added up by kind, and what has not ended is named', () => {
  const time = { path: 'large', engine: 'postgres' as const, seconds: 2, cpuSeconds: 1 }
  const onEmbedded = { path: 'flow', engine: 'pglite' as const, seconds: 4, cpuSeconds: 3 }
  assert.deepEqual(formatTimes([time, { ...time, path: 'small', seconds: 1 }, onEmbedded], files), [
    '── time of the test files, added up',
    '    3 s (processor 2 s)  2 files with a database',
    '    4 s (processor 3 s)  1 files with a database, on the embedded engine',
    '── the longest',
    ...['    4 s (processor 3 s)  flow (embedded)', '    2 s (processor 1 s)  large', '    1 s (processor 1 s)  small'],
  ])
  assert.deepEqual(findUnfinished([time], [runOf('large'), runOf('page')]), [runOf('page')])
})

test('of a run that broke off, some files and their number are named', () => {
  const unfinished = Array.from({ length: 30 }, () => runOf('page'))
  const lines = formatUnfinished(unfinished)
  assert.equal(lines.length, 21)
  assert.equal(lines[0], '✖ page has not ended')
  assert.equal(lines.at(-1), '✖ 10 more have not ended')
  assert.deepEqual(formatUnfinished(unfinished.slice(0, 1)), ['✖ page has not ended'])
})
