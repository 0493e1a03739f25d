import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { companionBundle } from '../server/bin/bundle-stamp.js'
import { findPostgres } from './find-postgres.ts'
import { findTestFiles } from './find-test-files.ts'
import { parseTestArguments } from './parse-test-arguments.ts'
import { runCaptured } from './run-captured.ts'
import { addSummaries, endsWithSummary, summaryLines } from './summary-lines.ts'
import { testEnvironment } from './test-environment.ts'
import { chooseFiles, refuse } from './test-run/choose-files.ts'
import type { TestFile } from './test-run/classify-file.ts'
import type { Limits } from './test-run/file-limits.ts'
import { type FileRun, type Mode, planRun, runsOf } from './test-run/plan-run.ts'
import { readSeconds, recordSeconds } from './test-run/recorded-seconds.ts'
import { formatTimes, formatUnfinished } from './test-run/report-times.ts'
import { runSuite } from './test-run/run-suite.ts'
import { runTwice, type Unsteady } from './test-run/run-twice.ts'
import { temporaryFolder } from './test-run/temporary-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const asked = parseTestArguments(process.argv.slice(2))
const isCi = process.env['CI'] === 'true'
const goesFurther = asked.isSoak || asked.isFuzz || asked.isChaos
const env = environment()
const hasServer = env['MUSTER_TEST_DATABASE_URL'] !== undefined
const hasPostgres = hasServer || findPostgres() !== undefined

function environment(): NodeJS.ProcessEnv {
  const all = testEnvironment(process.env)
  if (asked.isSoak) all['MUSTER_TEST_SOAK'] = 'true'
  if (asked.isFuzz) all['MUSTER_FUZZ_RUNS'] ??= '1000000'
  if (asked.isChaos) {
    all['MUSTER_CHAOS_SECONDS'] ??= '3600'
    all['MUSTER_CHAOS_CHANGES'] ??= '10000'
  }
  if (process.stdout.isTTY) all['FORCE_COLOR'] = '1'
  // Stripping types from the server once per test process is most of a small test file's time.
  all['NODE_COMPILE_CACHE'] ??= join(root, '.cache/compile')
  all['TMPDIR'] = temporaryFolder(process.env)
  return all
}

/** On which engines the files run; says so. */
function chooseMode(files: readonly TestFile[]): Mode {
  const needsPostgres = asked.isBothEngines || asked.isChaos || isCi
  if (needsPostgres && !asked.isEmbedded && !asked.isStrangers && !hasPostgres) {
    refuse(
      'No PostgreSQL to run on: install one (Debian: postgresql) or set MUSTER_TEST_DATABASE_URL to a server on which tests may create databases.',
    )
  }
  const isEmbedded = asked.isEmbedded || asked.isStrangers || !hasPostgres
  const mode = isEmbedded ? 'embedded' : asked.isBothEngines ? 'both' : 'once'
  const where = {
    embedded: 'on the embedded engine',
    once: 'on PostgreSQL, what is about the embedded engine there',
    both: 'on PostgreSQL and on the embedded engine',
  }
  console.log(`${files.length} test files ${where[mode]}`)
  if (!hasPostgres && !asked.isFuzz) {
    console.log(
      'Tests that need PostgreSQL are skipped: `npm test` runs them where it is installed (Debian: postgresql).',
    )
  }
  return mode
}

/** Flags of node's own would be held against the suites of the files as well, so then it is given the files themselves. */
async function runWithFlags(files: readonly TestFile[], mode: Mode): Promise<number> {
  const isOnServer = mode !== 'embedded' && !files.every(({ isEmbedded }) => isEmbedded)
  if (!isOnServer) delete env['MUSTER_TEST_DATABASE_URL']
  const within = isOnServer && !hasServer ? withPostgres : []
  const runner = ['--test', '--test-reporter=spec', ...asked.nodeFlags, ...files.map(({ path }) => path)]
  const onOutput = (chunk: string) => process.stdout.write(chunk)
  const { code, output } = await runCaptured(process.execPath, [...within, ...runner], { cwd: root, env, onOutput })
  if (!endsWithSummary(output)) console.log(`\n${summaryLines(output).join('\n')}`)
  return code
}

const withPostgres = [join(root, 'scripts/with-postgres.ts'), '--', process.execPath]

/** Processes that share files keep a core busy; those in a browser or with servers of their own wait for timers much of the time. */
function concurrencyFor(mode: Mode): { sharing: number; atOnce: number } {
  const sharing = Math.min(Math.max(availableParallelism(), 2), 8)
  // A soak measures, which it does best alone; so do programs of others, which share the few ports that companions listen on.
  if (asked.isSoak || asked.isStrangers) return { sharing, atOnce: 1 }
  // A server on the embedded engine keeps a core busy as well.
  return { sharing, atOnce: mode === 'embedded' ? sharing + 2 : sharing * 2 + 2 }
}

// Elsewhere than in CI a processor may be slow, and the first test of the chart builds helm.
const processorMs = isCi ? 600_000 : 1_800_000
const ordinary: Limits = { processorMs, idleMs: 300_000, lastMs: 1_800_000, graceMs: 30_000 }
const furtherMs = 4 * 3_600_000

async function runPlanned(files: readonly TestFile[], mode: Mode): Promise<number> {
  const folder = mkdtempSync(join(temporaryFolder(process.env), 'muster-test-run-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  if (mode !== 'embedded') env['MUSTER_TEST_BOTH_ENGINES'] = 'true'
  const { sharing, atOnce } = concurrencyFor(mode)
  const secondsOf = readSeconds()
  const limits = goesFurther ? { ...ordinary, processorMs: furtherMs, lastMs: furtherMs } : ordinary
  const runAll = (some: readonly FileRun[], isAlone: boolean) => {
    const processes = { postgres: sharing, pglite: mode === 'once' ? 1 : sharing, browser: sharing }
    const plan = planRun({ root, runs: some, folder, sharing: processes, secondsOf, limits })
    if (isAlone) console.log(`\n── once more, alone: ${some.map(({ file }) => file.path).join(', ')}`)
    const isOnServer = some.some(({ engine }) => engine === 'postgres')
    const within = isOnServer && !hasServer ? withPostgres : []
    const onOutput = (chunk: string) => process.stdout.write(chunk)
    return runSuite(plan, { cwd: root, env, concurrency: isAlone ? 1 : atOnce, within, onOutput })
  }
  const { isPassed, results, unsteady } = await runTwice(runsOf(files, mode), runAll)
  const [first, second] = results
  if (!first) return 1
  if (files.length > 1) console.log(`\n${formatTimes(first.times, files).join('\n')}`)
  for (const { unfinished } of results) for (const line of formatUnfinished(unfinished)) console.log(line)
  if (asked.isRecorded && isPassed) recordSeconds(first.times, await findTestFiles(root))
  if (unsteady.length > 0) tellUnsteady(unsteady)
  const summary = second ? addSummaries(first.summary, second.summary, isPassed) : first.summary
  console.log(`\n${summary.join('\n')}`)
  return isPassed ? 0 : first.code || 1
}

function tellUnsteady(unsteady: readonly Unsteady[]): void {
  const lines = unsteady.map(({ path, test, error }) => `${path}, ${test}, ${error}`)
  console.log(`\nUnsteady: failed beside others and passed alone. Mend them before anything else.\n${lines.join('\n')}`)
  console.log(`ℹ unsteady ${unsteady.length}`)
  if (!isCi) return
  mkdirSync(join(root, '.ci/artifacts'), { recursive: true })
  writeFileSync(join(root, '.ci/artifacts/unsteady.txt'), `${lines.join('\n')}\n`)
}

// The packages of the companion hold it, and nothing makes it when one is built.
if (!existsSync(companionBundle())) {
  execFileSync(process.execPath, ['server/bundle.ts', '--companion'], { cwd: root, stdio: 'inherit' })
}
const files = await chooseFiles(root, asked, isCi)
const mode = chooseMode(files)
process.exitCode = asked.nodeFlags.length > 0 ? await runWithFlags(files, mode) : await runPlanned(files, mode)
