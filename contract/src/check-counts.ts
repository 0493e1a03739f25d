import { Count } from './schema-kit.ts'

/** How many devices stand how towards a check. */
export const resultCounts = {
  counted: Count(
    'Devices that the check is counted on, whatever came of it: all that it targets, but for those it is inapplicable to or exempted on. The sum of the counts that follow.',
  ),
  passing: Count('Devices that pass.'),
  failing: Count('Devices that fail, and no others.'),
  errored: Count('Devices whose last run could not be read.'),
  unknown: Count('Devices that could not say.'),
  stale: Count('Devices whose result is of another query than the one now configured.'),
  pending: Count('Devices that the check has not run on yet.'),
}

export const resultCountsExample = { counted: 16, passing: 9, failing: 3, errored: 0, unknown: 1, stale: 1, pending: 2 }
