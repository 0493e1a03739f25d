/** Of `GET /api/info/{id}`. */
export type ModuleInfo = { readonly status: string; readonly result?: string | null }

/** Of `GET /api/log/{id}`. */
export type LogEntry = {
  readonly src?: string
  readonly result?: string
  readonly msg?: string
  readonly requirements?: readonly string[]
} & Readonly<Record<string, unknown>>

/** That a module is to fail, and by which error, so that no other failure of it hides behind that. */
export type ExpectedFailure = {
  readonly reason: string
  /** What each of its failed conditions has for `error`: a code of RFC 6749 4.1.2.1 or OpenID Connect Core 3.1.2.6. */
  readonly error: string
}

export type Outcome = {
  readonly module: string
  readonly result: 'PASSED' | 'SKIPPED' | 'WARNING' | 'REVIEW' | 'FAILED'
  /** Conditions that succeeded. */
  readonly passed: number
  /** What a reader has to know: failed conditions, warnings, or why it was skipped. */
  readonly remarks: readonly string[]
  /** That it was to fail, and whether it did so by that error alone. */
  readonly expected?: (ExpectedFailure & { readonly isMet: boolean }) | undefined
}

const results = ['PASSED', 'SKIPPED', 'WARNING', 'REVIEW', 'FAILED'] as const
const remarked = new Set(['FAILURE', 'WARNING', 'REVIEW', 'SKIPPED'])

/** A module that ended without a verdict, or was ended, has failed: what it was to show it did not show. */
export function readOutcome(
  module: string,
  info: ModuleInfo,
  log: readonly LogEntry[],
  expected?: ExpectedFailure,
): Outcome {
  const isDone = info.status === 'FINISHED'
  const result = results.find((known) => isDone && known === info.result) ?? 'FAILED'
  const remarks = log.filter((entry) => remarked.has(entry.result ?? '')).map(describe)
  if (result === 'FAILED' && remarks.length === 0) {
    remarks.push(`it ended as ${info.status} with the result ${info.result ?? 'none'}`)
  }
  const passed = log.filter((entry) => entry.result === 'SUCCESS').length
  const failures = log.filter((entry) => entry.result === 'FAILURE')
  const isMet = result === 'FAILED' && failures.length > 0 && failures.every(({ error }) => error === expected?.error)
  return { module, result, passed, remarks: unique(remarks), ...(expected && { expected: { ...expected, isMet } }) }
}

/** Whether the module waits for events of CAEP, which only a change of a device makes. */
export const asksForEvents = (log: readonly LogEntry[]): boolean =>
  log.some((entry) => entry['expected_caep_event_types'] !== undefined)

export const linesOf = ({ module, result, passed, remarks, expected }: Outcome): string[] => [
  `${result.padEnd(8)} ${module} (${passed} ${passed === 1 ? 'condition' : 'conditions'})`,
  ...(expected ? [`         ${describeExpected(expected)}`] : []),
  ...remarks.map((remark) => `         ${remark}`),
]

/**
 * Of a whole run; `isGood` is what the exit code says. Warnings and skipped modules fail no run, and neither do plans that
 * this suite does not have, as long as something ran. What was to fail fails the run when it passes or fails otherwise.
 */
export function summarize(outcomes: readonly Outcome[], plansNotRun: number): { isGood: boolean; line: string } {
  const counts = results.map((result) => [result, outcomes.filter((one) => one.result === result).length] as const)
  const isRight = ({ result, expected }: Outcome) => expected?.isMet ?? result !== 'FAILED'
  const isGood = outcomes.length > 0 && outcomes.every(isRight)
  const parts = counts.filter(([, count]) => count > 0).map(([result, count]) => `${count} ${result.toLowerCase()}`)
  const expected = outcomes.filter((one) => one.expected?.isMet).length
  if (expected > 0) parts.push(`${expected} of them as expected`)
  if (plansNotRun > 0) parts.push(`plans not run: ${plansNotRun}`)
  return { isGood, line: `${outcomes.length} modules: ${parts.join(', ')}` }
}

const describeExpected = ({ isMet, error, reason }: NonNullable<Outcome['expected']>): string =>
  `${isMet ? 'Failed as expected' : `Expected to fail with ${error}`}: ${reason}`

function describe({ result, src, msg, requirements, error }: LogEntry): string {
  const detail = typeof error === 'string' && error !== msg ? `: ${error}` : ''
  const clauses = requirements?.length ? ` (${requirements.join(', ')})` : ''
  return `${result ?? 'INFO'} ${src ?? 'the suite'}: ${msg ?? 'no message'}${detail}${clauses}`
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]
