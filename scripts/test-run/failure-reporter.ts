import type { TestEvent } from 'node:test/reporters'

/** A file whose suite has failed, and its tests that did, each with the first line of its error. */
export interface Failure {
  /** As `suiteName` gives it; of a process that broke off, the path of its entry. */
  readonly suite: string
  readonly tests: readonly { readonly name: string; readonly error: string }[]
}

/** A reporter for node's test runner, beside the one that people read: a line of JSON (`Failure`) for each file that failed. */
// biome-ignore lint/style/noDefaultExport: node takes a reporter by the default export of its module.
export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tests: { name: string; error: string }[] = []
  for await (const event of events) {
    if (event.type !== 'test:fail' || event.data.todo !== undefined) continue
    const { name, nesting, details } = event.data
    const { error } = details
    // What failed in a suite has been told before the suite.
    const isBySubtests = 'failureType' in error && error.failureType === 'subtestsFailed'
    const cause = error.cause instanceof Error ? error.cause : error
    if (!isBySubtests) tests.push({ name, error: cause.message.trim().split('\n')[0] ?? '' })
    if (nesting > 0) continue
    yield `${JSON.stringify({ suite: name, tests } satisfies Failure)}\n`
    tests = []
  }
}
