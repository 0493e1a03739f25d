import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startOf } from '../../server/src/base/process-start.ts'
import type { TestFile } from './classify-file.ts'
import { type FileRun, planRun, runsOf } from './plan-run.ts'
import { runSuite, type SuiteResult } from './run-suite.ts'
import { runTwice } from './run-twice.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-run-twice-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const prelude = `
import { existsSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import assert from 'node:assert'
/** True once only, over all processes of the run. */
const isFirstTime = (mark) => !existsSync(new URL(mark, import.meta.url)) && (writeFileSync(new URL(mark, import.meta.url), ''), true)
`

type Case = { code: string; kind?: TestFile['kind']; isRetried?: boolean; needsOwnProcess?: boolean }

/** Runs files of this code as a run of the tests does, on no database. */
async function run(cases: Record<string, Case>, limits = { limitMs: 60_000, graceMs: 30_000 }) {
  const root = mkdtempSync(join(folder, 'root-'))
  for (const [path, { code }] of Object.entries(cases)) writeFileSync(join(root, path), prelude + code)
  const files = Object.entries(cases).map(
    ([path, { kind = 'database', isRetried = true, needsOwnProcess = false }]): TestFile => {
      return { path, kind, isEmbedded: false, needsOwnProcess, isRetried }
    },
  )
  let output = ''
  // The variable makes node believe that it is a test process of this run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const runAll = (some: readonly FileRun[]): Promise<SuiteResult> => {
    const sharing = { postgres: 1, pglite: 1, browser: 1 }
    const plan = planRun({ root: `${root}/`, runs: some, folder: root, sharing, secondsOf: () => 1, ...limits })
    const onOutput = (chunk: string) => {
      output += chunk
    }
    return runSuite(plan, { cwd: root, env, concurrency: 2, within: [], onOutput })
  }
  const { isPassed, results, unsteady } = await runTwice(runsOf(files, 'once'), runAll)
  return { isPassed, runs: results.length, unsteady, output }
}

const failsOnce = "test('a page', () => assert.ok(!isFirstTime('mark'), 'too late'))"
const passes = "test('passes', () => {})"

test('a file that fails once is listed, and the run passes', async () => {
  const { isPassed, runs, unsteady, output } = await run({
    'one.mjs': { code: `describe('in a suite', () => { ${failsOnce} })\n${passes}` },
    'two.mjs': { code: passes },
  })
  assert.deepEqual({ isPassed, runs }, { isPassed: true, runs: 2 }, output)
  assert.deepEqual(unsteady, [{ path: 'one.mjs', test: 'a page', error: 'too late' }])
})

test('a file that fails twice fails the run', async () => {
  const { isPassed, runs, unsteady } = await run({ 'one.mjs': { code: "test('a page', () => assert.fail('broken'))" } })
  assert.deepEqual({ isPassed, runs, unsteady }, { isPassed: false, runs: 2, unsteady: [] })
})

test('a property that fails for one seed fails the run', async () => {
  const { isPassed, runs } = await run({ 'one.mjs': { code: failsOnce, isRetried: false } })
  assert.deepEqual({ isPassed, runs }, { isPassed: false, runs: 1 })
})

test('a process that breaks off fails the run, also where it would pass the next time', async () => {
  const code = "test('a page', () => isFirstTime('mark') && process.abort())"
  for (const needsOwnProcess of [true, false]) {
    const { isPassed, runs } = await run({ 'one.mjs': { code, needsOwnProcess }, 'two.mjs': { code: passes } })
    assert.deepEqual({ isPassed, runs }, { isPassed: false, runs: 1 })
  }
})

test('more than three files that fail are no accident', async () => {
  const cases = ['one', 'two', 'three', 'four'].map((name) => [
    `${name}.mjs`,
    { code: failsOnce.replace('mark', name) },
  ])
  const { isPassed, runs } = await run(Object.fromEntries(cases))
  assert.deepEqual({ isPassed, runs }, { isPassed: false, runs: 1 })
  const { isPassed: isPassedWithThree } = await run(Object.fromEntries(cases.slice(0, 3)))
  assert.equal(isPassedWithThree, true)
})

test('a failure beside one that may not run again fails the run', async () => {
  const { isPassed, runs } = await run({
    'one.mjs': { code: failsOnce },
    'two.mjs': { code: "test('rules', () => assert.fail())", kind: 'plain', isRetried: false },
  })
  assert.deepEqual({ isPassed, runs }, { isPassed: false, runs: 1 })
})

test('what never ends fails the run by its time, and what a file leaves open by the end of its process', async () => {
  const waiting = { 'one.mjs': { code: "test('waits', () => new Promise(() => {}))" } }
  const waits = await run(waiting, { limitMs: 500, graceMs: 30_000 })
  assert.equal(waits.isPassed, false)
  const leaving = { 'one.mjs': { code: `${passes}\nsetInterval(() => {}, 1_000)` } }
  const { isPassed, runs, output } = await run(leaving, { limitMs: 60_000, graceMs: 500 })
  assert.deepEqual({ isPassed, runs }, { isPassed: false, runs: 1 })
  assert.match(output, /✖ one\.mjs, or a file before it.* left something open \(.*Timeout.*\): the process is ended/)
})

const isUnknown = startOf(process.pid) === undefined && 'where the start of a process is unknown, none is ended'

test('a file that blocks its process fails the run by the end of its process', { skip: isUnknown }, async () => {
  const blocking = { 'one.mjs': { code: "test('blocks', () => { for (;;); })" } }
  const { isPassed, output } = await run(blocking, { limitMs: 1_000, graceMs: 500 })
  assert.equal(isPassed, false)
  assert.match(output, /✖ one\.mjs does not end: its process is ended/)
})
