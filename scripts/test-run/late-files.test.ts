import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { engine } from '../../server/test/support/database.ts'
import { readProcesses } from './process-use.ts'
import { type Case, noLimits, runCases } from './run-cases.ts'

const isUnknown = readProcesses() === undefined && 'what processes use is known on Linux only'
const folder = mkdtempSync(join(tmpdir(), 'muster-late-files-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const alone = (code: string): Case => ({ code, isRetried: false, needsOwnProcess: true })
const pathOf = (module: string) => fileURLToPath(new URL(module, import.meta.url))
const databaseModule = pathOf('../../server/test/support/database.ts')
const connectModule = pathOf('../../server/src/base/db/connect.ts')

/** In each case longer by the clock than a file may be idle. */
const workSeconds = 9
const limits = { processorMs: 3_000, idleMs: 6_000, lastMs: 240_000, graceMs: 20_000 }

/** Works for so many seconds of processor time, in a process that stays responsive. */
const works = (seconds: number) => `test('works', async ({ signal }) => {
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6 }
  for (const before = used(); used() - before < ${seconds} && !signal.aborted; ) await new Promise(setImmediate)
})`

const throttled = join(folder, 'throttled')

/** Lets the process that writes its number into the file run for a fiftieth of the time, as on a machine that is busy with others. */
const throttle = `
const fs = require('node:fs')
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const run = async () => {
  while (!fs.existsSync(process.argv[1])) await pause(20)
  for (const pid = Number(fs.readFileSync(process.argv[1], 'utf8')); ; ) {
    process.kill(pid, 'SIGSTOP')
    await pause(490)
    process.kill(pid, 'SIGCONT')
    await pause(10)
  }
}
run().catch(() => {})`

const endless: Readonly<Record<string, Case>> = {
  'loops.mjs': alone("test('loops', () => { for (;;); })"),
  'overspends.mjs': alone(works(600)),
  'sleeps.mjs': alone(`import { setTimeout as pause } from 'node:timers/promises'
    test('sleeps', ({ signal }) => pause(600_000, undefined, { signal }))`),
}

const busy: Readonly<Record<string, Case>> = {
  'awaits-a-child.mjs': alone(`test('awaits', async () => {
    const { spawn } = await import('node:child_process')
    const { once } = await import('node:events')
    await once(spawn(process.execPath, ['-e', \`
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
      const until = Date.now() + ${workSeconds * 1000}
      const work = async () => {
        while (Date.now() < until) { for (const to = Date.now() + 100; Date.now() < to; ); await pause(400) }
      }
      work()\`]), 'exit')
  })`),
  'awaits-postgres.mjs': alone(`test('awaits', async () => {
    const { databaseForProcess } = await import('${databaseModule}')
    const { connectPostgres } = await import('${connectModule}')
    const { url, drop } = await databaseForProcess()
    const { executeScript, close } = await connectPostgres({ url, maxConnections: 2 })
    const until = "clock_timestamp() + '${workSeconds} s'"
    await executeScript(\`do $$ declare ended timestamptz := \${until}; begin
      while clock_timestamp() < ended loop perform count(*) from generate_series(1, 50000); perform pg_sleep(0.2); end loop; end $$\`)
    await close()
    await drop()
  })`),
  'is-starved.mjs': alone(`writeFileSync('${throttled}.draft', String(process.pid))
    const { renameSync } = await import('node:fs')
    renameSync('${throttled}.draft', '${throttled}')
    const beganAt = performance.now()
    ${works(0.3)}
    test('took longer than a file may be idle', () => assert.ok(performance.now() - beganAt > ${limits.idleMs}))`),
  // Both in one process: together they use more than one may.
  'first.mjs': { code: works(2) },
  'second.mjs': { code: works(2) },
}

test('a file is ended by what it uses, not by how long it takes', { skip: isUnknown }, async () => {
  const throttling = spawn(process.execPath, ['-e', throttle, throttled], { stdio: 'ignore' })
  after(() => throttling.kill('SIGKILL'))
  const { 'awaits-postgres.mjs': awaitsPostgres, ...others } = busy
  const passing = engine === 'postgres' ? { ...others, 'awaits-postgres.mjs': awaitsPostgres } : others
  const { isPassed, output, results } = await runCases({ ...endless, ...passing } as Record<string, Case>, limits, 8)
  assert.equal(isPassed, false)
  const [result] = results
  const ended = result?.times.map(({ path }) => path).sort()
  // The one that blocks its process does not come to end.
  assert.deepEqual(ended, ['overspends.mjs', 'sleeps.mjs', ...Object.keys(passing)].sort(), output)
  const told = output.split('\n').filter((line) => /: (it|its process) is ended$/.test(line))
  assert.deepEqual(told.sort(), [
    '✖ loops.mjs does not end: its process is ended',
    '✖ loops.mjs has used 3 s of processor time: it is ended',
    '✖ overspends.mjs has used 3 s of processor time: it is ended',
    '✖ sleeps.mjs has been idle for 6 s: it is ended',
  ])
  const failed = result?.failures.map(({ suite, tests }) => [suite, tests.at(-1)?.error])
  const named = failed?.filter(([suite]) => suite?.endsWith('s.mjs') && !suite.includes('/')).sort()
  assert.deepEqual(named, [
    ['overspends.mjs', 'overspends.mjs has used 3 s of processor time'],
    ['sleeps.mjs', 'sleeps.mjs has been idle for 6 s'],
  ])
})

test('a file that is never idle and never ends is ended by the clock at last', async () => {
  const code = `import { setInterval as ticks } from 'node:timers/promises'
    test('ticks', async ({ signal }) => { for await (const _ of ticks(10, undefined, { signal })); })`
  const { isPassed, output } = await runCases({ 'ticks.mjs': alone(code) }, { ...noLimits, lastMs: 5_000 })
  assert.equal(isPassed, false)
  assert.match(output, /ticks\.mjs has not ended within 5 s|test timed out after 5000ms/)
})

test('what a file leaves open fails the run by the end of its process', async () => {
  const leaving = { 'one.mjs': { code: "test('passes', () => {})\nsetInterval(() => {}, 1_000)" } }
  const { isPassed, runs, output } = await runCases(leaving, { ...noLimits, graceMs: 500 })
  assert.deepEqual({ isPassed, runs }, { isPassed: false, runs: 1 })
  assert.match(output, /✖ one\.mjs, or a file before it.* left something open \(.*Timeout.*\): the process is ended/)
})
