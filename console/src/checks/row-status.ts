import type { CheckResult } from '@muster/contract/check-results.ts'
import { whyUnknown } from '@muster/contract/unknown-rows.ts'
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

/** Why nothing is known of a result, as its rows tell it; '' where they do not. */
export const reasonOfUnknown = ({ check_result_data: rows }: Pick<CheckResult, 'check_result_data'>): string =>
  whyUnknown(rows).reason ?? rows.map((row) => row['message']).find(Boolean) ?? ''

/** What an upgrade of osquery on a device would settle: how many checks, and the version that the last of them needs. */
export function settledByUpgrade(results: readonly Pick<CheckResult, 'status' | 'check_result_data'>[]): {
  checks: number
  version: string
} {
  const needed = results
    .filter(({ status }) => status === 'unknown')
    .flatMap(({ check_result_data: rows }) => whyUnknown(rows).needsOsquery ?? [])
  const version = needed.reduce((highest, one) => (isOlder(highest, one) ? one : highest), '')
  return { checks: needed.length, version }
}

const isOlder = (one: string, other: string): boolean => one.localeCompare(other, 'en', { numeric: true }) < 0
