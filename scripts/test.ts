import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTestFiles, onlyChaosFiles, onlyFuzzFiles } from './find-test-files.ts'
import { parseTestArguments, selectFiles } from './parse-test-arguments.ts'
import { runCaptured } from './run-captured.ts'
import { endsWithSummary, summaryLines } from './summary-lines.ts'
import { testEnvironment } from './test-environment.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const asked = parseTestArguments(process.argv.slice(2))
const isCi = process.env['CI'] === 'true'

/** What with-postgres.ts exits with when there is no PostgreSQL to start. */
const noPostgres = 3
const inBrowser = 'console/test/'
const browsers = ['chromium', 'chromium-browser', 'google-chrome']

// A test file is a process with its own PGlite and some 200 MB: more than the cores only makes them wait for each other.
const concurrency = Math.min(Math.max(availableParallelism(), 2), 8)

function isInPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function refuse(reason: string): never {
  console.error(reason)
  process.exit(1)
}

async function chooseFiles(): Promise<string[]> {
  const selected = selectFiles(await findTestFiles(root), asked.patterns, root)
  const fuzzing = asked.isFuzz ? await onlyFuzzFiles(root, selected) : selected
  const files = asked.isChaos ? await onlyChaosFiles(root, fuzzing) : fuzzing
  if (files.length === 0) refuse(`No test file matches: ${process.argv.slice(2).join(' ') || '**'}`)
  if (!files.some((file) => file.startsWith(inBrowser)) || browsers.some(isInPath)) return files
  const lack = `no browser in PATH (${browsers.join(', ')})`
  if (isCi) refuse(`The tests in ${inBrowser} cannot run: ${lack}. CI skips nothing: install chromium.`)
  console.log(`Left out: the tests in ${inBrowser}, because there is ${lack}.`)
  return files.filter((file) => !file.startsWith(inBrowser))
}

function environment(): NodeJS.ProcessEnv {
  const env = testEnvironment(process.env)
  if (!asked.isPostgres) delete env['MUSTER_TEST_DATABASE_URL']
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
const isOwnServer = asked.isPostgres && env['MUSTER_TEST_DATABASE_URL'] === undefined
const runner = ['--test', '--test-reporter=spec', `--test-concurrency=${concurrency}`, ...asked.nodeFlags, ...files]
const args = isOwnServer ? [join(root, 'scripts/with-postgres.ts'), '--', process.execPath, ...runner] : runner

const engine = asked.isPostgres ? 'PostgreSQL' : 'the embedded PGlite'
console.log(`${files.length} test files on ${engine}, ${concurrency} at a time`)
if (asked.isPostgres) console.log('Tests about the embedded engine are skipped here; `npm test` runs them.')
else if (!asked.isFuzz) {
  console.log(
    'Tests that need a PostgreSQL server are skipped here; `npm run test:postgres` runs the same suite with them.',
  )
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
if (!endsWithSummary(output)) console.log(`\n${summary.join('\n')}`)
process.exitCode = code
