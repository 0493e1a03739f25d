import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCases as run } from './run-cases.ts'

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
