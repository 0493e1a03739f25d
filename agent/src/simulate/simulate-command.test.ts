import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSimulateArguments } from './simulate-command.ts'

const needed = ['--server', 'https://localhost:8443', '--enroll-secret', 'x']

test('two arguments are enough', () => {
  assert.deepEqual(parseSimulateArguments(needed), {
    server: 'https://localhost:8443',
    enrollSecret: 'x',
    devices: 50,
    failRate: 0.05,
    periodMs: 1_800_000,
    seed: 1,
    duplicateRate: 0,
    statusLineRate: 0,
    progressEveryMs: 5000,
    intervals: {},
  })
})

test('times carry a unit, rounds are counted and platforms are weighted', () => {
  const more = [
    '--period',
    '90s',
    '--spread',
    '2.5m',
    '--distributed-interval',
    '500ms',
    '--rounds',
    '2',
    '--platforms',
    'linux=1,darwin=3',
  ]
  const options = parseSimulateArguments([...needed, ...more])
  assert.equal(options.periodMs, 90_000)
  assert.equal(options.rounds, 2)
  assert.equal(options.spreadMs, 150_000)
  assert.deepEqual(options.intervals, { distributedMs: 500 })
  assert.deepEqual(options.platforms, { darwin: 3, windows: 0, linux: 1 })
})

test('a wrong argument is named', () => {
  const wrong: [string[], RegExp][] = [
    [['--enroll-secret', 'x'], /--server needs/],
    [['--server', 'https://localhost'], /--enroll-secret needs/],
    [[...needed, '--devices', '0'], /--devices needs a whole number from 1, not "0"/],
    [[...needed, '--devices', '1.5'], /--devices needs/],
    [[...needed, '--rounds', '0'], /--rounds needs a whole number from 1, not "0"/],
    [[...needed, '--rounds', '1.5'], /--rounds needs a whole number from 1/],
    [[...needed, '--fail-rate', '1.1'], /--fail-rate needs a number from 0 to 1/],
    [[...needed, '--period', '30'], /--period needs a time/],
    [[...needed, '--platforms', 'beos=1'], /--platforms needs shares/],
    [[...needed, '--platforms', 'linux=0'], /at least one share/],
    [[...needed, '--unheard-of'], /unheard-of/],
  ]
  for (const [args, message] of wrong) assert.throws(() => parseSimulateArguments(args), message, args.join(' '))
})
