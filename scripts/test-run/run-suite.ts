import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runCaptured } from '../run-captured.ts'
import { endsWithSummary, summaryLines } from '../summary-lines.ts'
import { endLateProcesses } from './end-late-processes.ts'
import type { Failure } from './failure-reporter.ts'
import type { FileRun, Run } from './plan-run.ts'
import { findUnfinished, readNotes, timesOf } from './report-times.ts'
import type { FileTime } from './run-files.ts'

export interface SuiteOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** How many processes run at the same time. */
  readonly concurrency: number
  /** What comes before node's runner in the command: nothing, or what starts a PostgreSQL for it. */
  readonly within: readonly string[]
  readonly onOutput: (chunk: string) => void
}

export interface SuiteResult {
  readonly code: number
  readonly summary: readonly string[]
  /** Failures are listed after the summary, so it is to be said again. */
  readonly endsWithSummary: boolean
  readonly times: readonly FileTime[]
  readonly failures: readonly Failure[]
  /** What was to run and has not ended: its process broke off. */
  readonly unfinished: readonly FileRun[]
}

/** Runs the entries of a plan in node's test runner. */
export async function runSuite(run: Run, options: SuiteOptions): Promise<SuiteResult> {
  const failures = join(dirname(run.times), 'failures.jsonl')
  const reporter = new URL('failure-reporter.ts', import.meta.url).href
  const watch = endLateProcesses(run, options.onOutput)
  const runner = ['--test', `--test-concurrency=${options.concurrency}`]
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${failures}`],
  ]
  try {
    const { code, output } = await runCaptured(
      process.execPath,
      [...options.within, ...runner, ...reporters, ...run.entries],
      options,
    )
    const times = timesOf(readNotes(run.times))
    return {
      code,
      summary: summaryLines(output),
      endsWithSummary: endsWithSummary(output),
      times,
      failures: readFailures(failures),
      unfinished: findUnfinished(times, run.runs),
    }
  } finally {
    watch.stop()
  }
}

/** Nothing where the runner did not come to start. */
function readFailures(file: string): Failure[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Failure)
  } catch {
    return []
  }
}
