import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestFile } from './classify-file.ts'
import type { Limits } from './file-limits.ts'
import { type FileRun, planRun, runsOf } from './plan-run.ts'
import { runSuite, type SuiteResult } from './run-suite.ts'
import { runTwice } from './run-twice.ts'

const prelude = `
import { existsSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import assert from 'node:assert'
/** True once only, over all processes of the run. */
const isFirstTime = (mark) => !existsSync(new URL(mark, import.meta.url)) && (writeFileSync(new URL(mark, import.meta.url), ''), true)
`

export type Case = { code: string } & Partial<Pick<TestFile, 'kind' | 'isRetried' | 'needsOwnProcess'>>

/** Far away. */
export const noLimits: Limits = { processorMs: 300_000, idleMs: 300_000, lastMs: 300_000, graceMs: 30_000 }

/**
 * Runs files of this code as a run of the tests does, on no database. Those that share do so in one process.
 * @forTests of the run itself.
 */
export async function runCases(cases: Readonly<Record<string, Case>>, limits = noLimits, concurrency = 2) {
  const root = mkdtempSync(join(tmpdir(), 'muster-run-cases-'))
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
    const plan = planRun({ root: `${root}/`, runs: some, folder: root, sharing, secondsOf: () => 1, limits })
    const onOutput = (chunk: string) => {
      output += chunk
    }
    return runSuite(plan, { cwd: root, env, concurrency, within: [], onOutput })
  }
  try {
    const { isPassed, results, unsteady } = await runTwice(runsOf(files, 'once'), runAll)
    return { isPassed, runs: results.length, unsteady, output, results }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
