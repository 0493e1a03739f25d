import type { FileRun } from './plan-run.ts'
import { suiteName } from './run-files.ts'
import type { SuiteResult } from './run-suite.ts'

/** More than these are no accident. */
const maxRetried = 3

export interface Unsteady {
  readonly path: string
  readonly test: string
  readonly error: string
}

export interface TwiceResult {
  readonly isPassed: boolean
  readonly results: readonly SuiteResult[]
  /** What failed at first and passed alone: it is to be mended, but does not fail the run. */
  readonly unsteady: readonly Unsteady[]
}

/**
 * Runs the files, and those that failed once more, alone. A test that fails only beside others is unsteady, which is no
 * defect of the change that is being verified.
 */
export async function runTwice(
  runs: readonly FileRun[],
  runAll: (runs: readonly FileRun[], isAlone: boolean) => Promise<SuiteResult>,
): Promise<TwiceResult> {
  const first = await runAll(runs, false)
  if (isPassed(first)) return { isPassed: true, results: [first], unsteady: [] }
  const failed = findRetried(first, runs)
  if (failed.length === 0) return { isPassed: false, results: [first], unsteady: [] }
  const second = await runAll(failed, true)
  const unsteady = isPassed(second) ? listUnsteady(first, runs) : []
  return { isPassed: isPassed(second), results: [first, second], unsteady }
}

const isPassed = ({ code, unfinished }: SuiteResult) => code === 0 && unfinished.length === 0

/** What failed, if all of it may run again; a process that broke off may not, since nobody knows of what. */
function findRetried({ failures, unfinished }: SuiteResult, runs: readonly FileRun[]): FileRun[] {
  const failed = failures.map(({ suite }) => findRun(suite, runs))
  const retried = failed.filter((run) => run !== undefined).filter(({ file }) => file.isRetried)
  const isRetried = unfinished.length === 0 && retried.length === failed.length && retried.length <= maxRetried
  return isRetried ? retried : []
}

const findRun = (suite: string, runs: readonly FileRun[]) =>
  runs.find(({ file, engine }) => suiteName(file.path, engine) === suite)

const listUnsteady = ({ failures }: SuiteResult, runs: readonly FileRun[]): Unsteady[] =>
  failures.flatMap(({ suite, tests }) => {
    const path = findRun(suite, runs)?.file.path ?? suite
    return tests.map(({ name, error }) => ({ path, test: name, error }))
  })
