import type { CheckResult } from '@muster/contract/check-results.ts'
import { resultWords } from './check-words.ts'

type Status = CheckResult['status']

const order = Object.keys(resultWords)
export const byTrouble = (one: Status, other: Status): number => order.indexOf(one) - order.indexOf(other)

export const statusColumn = 'KOLIDE_CHECK_STATUS'

const rowStatuses: ReadonlyMap<string | undefined, Status> = new Map([
  ['FAIL', 'failing'],
  ['ERROR', 'errored'],
  ['UNKNOWN', 'unknown'],
  ['PASS', 'passing'],
  ['INAPPLICABLE', 'inapplicable'],
])

/** What a row of a check says. The server takes no row without a status; if there is one, nothing is known of it. */
export const rowStatusOf = (row: Readonly<Record<string, string>>): Status =>
  rowStatuses.get(row[statusColumn]) ?? 'unknown'
