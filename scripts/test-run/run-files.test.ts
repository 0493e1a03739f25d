import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readNotes, timesOf } from './report-times.ts'
import { noLimits } from './run-cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-run-files-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const prelude = "import { after, beforeEach, mock, test } from 'node:test'\nimport assert from 'node:assert'\n"
const module = fileURLToPath(new URL('./run-files.ts', import.meta.url))

/** Runs the files of this code in one process of node's test runner. */
async function run(files: Record<string, string>) {
  const root = mkdtempSync(join(folder, 'run-'))
  mkdirSync(join(root, 'claims'))
  for (const [name, code] of Object.entries(files)) writeFileSync(join(root, name), prelude + code)
  const times = join(root, 'times.jsonl')
  writeFileSync(times, '')
  const [first = '', ...rest] = Object.keys(files)
  const share = {
    ...{ root: `${root}/`, engine: 'postgres', first, files: rest },
    ...{ claims: join(root, 'claims'), times, limits: noLimits },
  }
  const entry = join(root, 'entry.mjs')
  writeFileSync(entry, `import { runFiles } from '${module}'\nawait runFiles(${JSON.stringify(share)})\n`)
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string }>()
  // The variable makes node believe that it is a test process of this run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  execFile(process.execPath, ['--test', '--test-reporter=spec', entry], { env }, (error, stdout) =>
    resolve({ code: error?.code ?? 0, output: stdout }),
  )
  const { code, output } = await promise
  const count = (name: string) => Number(new RegExp(`ℹ ${name} (\\d+)`).exec(output)?.[1])
  return {
    code,
    output,
    counts: ['tests', 'pass', 'fail'].map(count),
    ended: timesOf(readNotes(times)).map(({ path }) => path),
  }
}

test('files run one after the other, each with its own hooks, and their tests are counted', async () => {
  const { code, output, counts, ended } = await run({
    'one.mjs':
      "beforeEach(() => console.log('before each of one'))\nafter(() => console.log('one ends'))\ntest('1', () => {})",
    'two.mjs': "await 0\nconsole.log('two starts')\ntest('2', () => {})\ntest('3', () => {})",
  })
  assert.deepEqual({ code, counts, ended }, { code: 0, counts: [3, 3, 0], ended: ['one.mjs', 'two.mjs'] }, output)
  assert.equal(output.match(/before each of one/g)?.length, 1)
  assert.ok(output.indexOf('one ends') < output.indexOf('two starts'))
  assert.match(output, /▶ two\.mjs\n/)
})

test('a failure, a file that cannot be loaded and a hook that fails make the run fail', async () => {
  const { code, counts, ended } = await run({
    'one.mjs': "test('1', () => assert.fail())",
    'two.mjs': "test('2', () => {})",
  })
  assert.deepEqual({ code, counts, ended }, { code: 1, counts: [2, 1, 1], ended: ['one.mjs', 'two.mjs'] })
  const broken = await run({ 'one.mjs': "throw new Error('no')", 'two.mjs': "test('2', () => {})" })
  assert.deepEqual([broken.code, broken.counts], [1, [2, 1, 1]])
  const hook = await run({ 'one.mjs': "after(() => assert.fail())\ntest('1', () => {})" })
  assert.equal(hook.code, 1)
})

test('a file does not leave its environment, nor its mocks, to the next one', async () => {
  const changed = await run({
    'one.mjs': "process.env.LEFT = '1'\ntest('1', () => {})",
    'two.mjs': "test('2', () => {})",
  })
  assert.equal(changed.code, 1)
  assert.match(changed.output, /one\.mjs leaves the environment of its process changed/)
  const mocked = await run({
    'one.mjs': "mock.timers.enable({ now: 1 })\ntest('1', () => assert.equal(Date.now(), 1))",
    'two.mjs': "test('2', () => assert.notEqual(Date.now(), 1))",
  })
  assert.equal(mocked.code, 0, mocked.output)
})

test('a process that breaks off is seen by the file that has not ended', async () => {
  const { code, ended } = await run({ 'one.mjs': "test('1', () => {})", 'two.mjs': "test('2', () => process.abort())" })
  assert.deepEqual([code, ended], [1, ['one.mjs']])
})
