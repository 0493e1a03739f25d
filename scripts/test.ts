import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTestFiles, onlyChaosFiles, onlyFuzzFiles } from './find-test-files.ts'
import { parseTestArguments, selectFiles } from './parse-test-arguments.ts'
import { runCaptured } from './run-captured.ts'
import { endsWithSummary, summaryLines } from './summary-lines.ts'
import { testEnvironment } from './test-environment.ts'
import { affectedBy, changedFiles } from './test-run/changed-files.ts'
import { classifyFile, type Engine, type TestFile } from './test-run/classify-file.ts'
import { type ImportGraph, importGraph, readerIn } from './test-run/import-graph.ts'
import { isInstalled } from './test-run/is-installed.ts'
import { leaveOutAbsent } from './test-run/parties.ts'
import { planRun } from './test-run/plan-run.ts'
import { findUnfinished, formatTimes, formatUnfinished, readTimes } from './test-run/report-times.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const asked = parseTestArguments(process.argv.slice(2))
const isCi = process.env['CI'] === 'true'
/** CI leaves nothing out. Programs of others see the same on either engine. */
const isBothEngines =
  asked.nodeFlags.length === 0 && !asked.isStrangers && (asked.isBothEngines || (isCi && !asked.isPostgres))

/** What with-postgres.ts exits with when there is no PostgreSQL to start. */
const noPostgres = 3
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

// A process that shares files has a PGlite and some 800 MB: more of them than cores only makes them wait for each other.
const sharing = Math.min(Math.max(availableParallelism(), 2), 8)
// Files with a process of their own wait for browsers and timers much of the time. A soak measures, which it does best alone;
// so do programs of others, which share the few ports that companions listen on.
const concurrency = asked.isSoak || asked.isStrangers ? 1 : sharing + (isBothEngines ? 2 : 1)

function refuse(reason: string): never {
  console.error(reason)
  process.exit(1)
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-test-run-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What a test file imports that goes further in a soak. */
const soakModule = 'server/test/support/soak.ts'

function onlyAffected(files: readonly TestFile[], since: string, graph: ImportGraph): TestFile[] {
  const changed = changedFiles(root, since)
  const affected = affectedBy(changed, files, graph)
  if (affected.length === 0) {
    console.log(`None of the ${changed.length} files changed since ${since} can break a test file.`)
    process.exit(0)
  }
  console.log(
    `${changed.length} files have changed since ${since}. What starts the whole product is left to a full run.`,
  )
  return affected
}

async function chooseFiles(): Promise<TestFile[]> {
  const graph = importGraph(readerIn(root))
  const selected = selectFiles(await findTestFiles(root), asked.patterns, root)
  const soaking = asked.isSoak ? selected.filter((path) => graph.imports(path).includes(soakModule)) : selected
  const fuzzing = asked.isFuzz ? await onlyFuzzFiles(root, soaking) : soaking
  const files = asked.isChaos ? await onlyChaosFiles(root, fuzzing) : fuzzing
  if (files.length === 0) refuse(`No test file matches: ${process.argv.slice(2).join(' ') || '**'}`)
  const all = chooseStrangers(files.map((path) => classifyFile(path, graph)))
  if (all.length === 0) refuse('Nothing of that can run on this machine.')
  const classified = asked.changedSince === undefined ? all : onlyAffected(all, asked.changedSince, graph)
  const inBrowser = classified.filter(({ kind }) => kind === 'browser')
  const isNarrowed = asked.patterns.length > 0
  // The other suite has run what is the same on both engines.
  const left = classified.filter(
    ({ engines }) => isBothEngines || isNarrowed || !asked.isPostgres || engines.includes('postgres'),
  )
  if (inBrowser.length === 0 || browsers.some((name) => isInstalled(name))) return left
  const lack = `no browser in PATH (${browsers.join(', ')})`
  if (isCi)
    refuse(`${inBrowser.length} test files need a browser: ${lack}. CI skips nothing: install chromium-headless-shell.`)
  console.log(`Left out: ${inBrowser.length} test files that need a browser, because there is ${lack}.`)
  return left.filter(({ kind }) => kind !== 'browser')
}

/** Programs of others have a stage of their own in CI, in which none may be missing. */
function chooseStrangers(files: readonly TestFile[]): TestFile[] {
  if (isCi && !asked.isStrangers && asked.patterns.length === 0 && files.some(({ kind }) => kind === 'stranger')) {
    console.log('Programs of others run in a stage of their own: npm test -- --strangers')
    return files.filter(({ kind }) => kind !== 'stranger')
  }
  const { present, lines } = leaveOutAbsent(
    asked.isStrangers ? files.filter(({ kind }) => kind === 'stranger') : files,
    (need) => isInstalled(need),
  )
  for (const line of lines) console.log(line)
  if (isCi && lines.length > 0) refuse('CI skips nothing: install what is missing.')
  return present
}

function environment(): NodeJS.ProcessEnv {
  const env = testEnvironment(process.env)
  if (!asked.isPostgres && !isBothEngines) delete env['MUSTER_TEST_DATABASE_URL']
  if (asked.isSoak) env['MUSTER_TEST_SOAK'] = 'true'
  if (isBothEngines) env['MUSTER_TEST_BOTH_ENGINES'] = 'true'
  if (asked.isFuzz) env['MUSTER_FUZZ_RUNS'] ??= '1000000'
  if (asked.isChaos) {
    env['MUSTER_CHAOS_SECONDS'] ??= '3600'
    env['MUSTER_CHAOS_CHANGES'] ??= '10000'
  }
  if (process.stdout.isTTY) env['FORCE_COLOR'] = '1'
  // Stripping types from the server once per test process is most of a small test file's time.
  env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/compile')
  return env
}

const files = await chooseFiles()
const env = environment()
const engines: readonly Engine[] = isBothEngines ? ['pglite', 'postgres'] : [asked.isPostgres ? 'postgres' : 'pglite']
const isOwnServer = engines.includes('postgres') && env['MUSTER_TEST_DATABASE_URL'] === undefined

/** Flags of node's own are about the files that node is given, so then it is given the files themselves. */
const run =
  asked.nodeFlags.length > 0 ? undefined : planRun({ root, files, engines, folder: newFolder(), concurrency: sharing })
const entries = run?.entries ?? files.map(({ path }) => path)
const runner = ['--test', '--test-reporter=spec', `--test-concurrency=${concurrency}`, ...asked.nodeFlags, ...entries]
const args = isOwnServer ? [join(root, 'scripts/with-postgres.ts'), '--', process.execPath, ...runner] : runner

const names = { pglite: 'the embedded PGlite', postgres: 'PostgreSQL' }
console.log(`${files.length} test files on ${engines.map((one) => names[one]).join(' and ')}, ${concurrency} at a time`)
if (!isBothEngines && asked.isPostgres) {
  console.log('Tests about the embedded engine are skipped here; `npm test` runs them.')
} else if (!isBothEngines && !asked.isFuzz) {
  console.log('Tests that need a PostgreSQL server are skipped here; `npm run test:postgres` runs them.')
}

const { code, output } = await runCaptured(process.execPath, args, {
  cwd: root,
  env,
  onOutput: (chunk) => process.stdout.write(chunk),
})
const summary = summaryLines(output)
if (isOwnServer && code === noPostgres && summary.length === 0) {
  refuse(
    'No PostgreSQL to run on: install one (Debian: postgresql) or set MUSTER_TEST_DATABASE_URL to a server on which tests may create databases.',
  )
}
let isWhole = true
if (run) {
  const times = readTimes(run.times)
  const unfinished = findUnfinished(times, run.expected)
  isWhole = unfinished.length === 0
  if (files.length > 1) console.log(`\n${formatTimes(times, files).join('\n')}`)
  for (const line of formatUnfinished(unfinished)) console.log(line)
}
if (run || !endsWithSummary(output)) console.log(`\n${summary.join('\n')}`)
process.exitCode = isWhole ? code : code || 1
