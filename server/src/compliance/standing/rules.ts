import { type CheckStatus, checkStatuses } from '@muster/contract/external-check-runs.ts'
import { neededColumn, reasonColumn, whyUnknown } from '@muster/contract/unknown-rows.ts'
import { isStorable, storable } from '../../base/storable.ts'

export type CheckRow = Record<string, string>

/** What came of running a check: rows, or no rows for a reason. */
export type CheckOutcome =
  | { kind: 'rows'; rows: readonly CheckRow[] }
  | { kind: 'error'; message: string }
  | { kind: 'not_collected'; message: string }

type JudgedStatus = 'passing' | 'failing' | 'unknown' | 'errored' | 'inapplicable'

/** The identity of an issue within a check on a device; null for single-row checks. */
export type IssueValue = string | null

export type Judgement = {
  status: JudgedStatus
  rows: CheckRow[]
  message: string | null
  /** The version of osquery that the check needs, where nothing is known because the agent is older. */
  needsOsquery: string | null
  /** Each failing row by the issue it stands for. */
  failures: Map<IssueValue, CheckRow>
  /** Whether the open issue of this value is settled by the run. */
  resolves: (value: IssueValue) => boolean
  /** Whether the run says that nothing is known of it. */
  isUnknown: (value: IssueValue) => boolean
}

export const statusColumn = 'KOLIDE_CHECK_STATUS'

/** More rows than a person could act on; the rest is dropped, and then no missing value counts as mended. */
export const maximumRows = 500
/** Of one value, and of all rows together, in characters: an agent may send megabytes. */
const maximumValueLength = 4_096
const maximumLength = 200_000

const statusOfToken: Record<CheckStatus, JudgedStatus> = {
  FAIL: 'failing',
  ERROR: 'errored',
  UNKNOWN: 'unknown',
  PASS: 'passing',
  INAPPLICABLE: 'inapplicable',
}

/** The first of these that any row says is the status of the run. */
const precedence: readonly CheckStatus[] = ['FAIL', 'ERROR', 'UNKNOWN', 'PASS', 'INAPPLICABLE']

const knownTokens: ReadonlyMap<string, CheckStatus> = new Map(checkStatuses.map((token) => [token, token]))

const tokenOf = (row: CheckRow): CheckStatus | undefined => {
  const token = row[statusColumn]
  return token === undefined ? undefined : knownTokens.get(token)
}

const undecided = (status: 'errored' | 'unknown', rows: CheckRow[], message: string): Judgement => ({
  status,
  rows,
  message,
  needsOsquery: null,
  failures: new Map(),
  resolves: () => false,
  isUnknown: () => false,
})

/**
 * What a run means. A run that cannot be read leaves open issues as they are: it neither opens nor resolves.
 * An issue resolves when its own row says PASS or INAPPLICABLE, or when it has no row any more and every row of the
 * run was decided.
 */
export function judge(outcome: CheckOutcome, primaryKeyColumn: string | null): Judgement {
  if (outcome.kind === 'error') return undecided('errored', [], storableValue(outcome.message))
  if (outcome.kind === 'not_collected') return undecided('unknown', [], storableValue(outcome.message))
  const rows = keptRows(outcome.rows)
  if (rows.length === 0) return undecided('errored', [], 'The query returned no row')
  const unreadable = outcome.rows.find((row) => tokenOf(row) === undefined)
  if (unreadable) return undecided('errored', rows, unreadableMessage(unreadable))
  const tokens = rows.map(tokenOf)
  if (primaryKeyColumn !== null && rows.some((row) => row[primaryKeyColumn] === undefined)) {
    return undecided('errored', rows, `A row lacks the primary key column "${primaryKeyColumn}"`)
  }
  const token = precedence.find((candidate) => tokens.includes(candidate)) ?? 'ERROR'
  const isWhole = rows.length === outcome.rows.length && !tokens.includes('ERROR') && !tokens.includes('UNKNOWN')
  const { failures, mended, undecided: unknown } = sortByIssue(rows, primaryKeyColumn)
  return {
    status: statusOfToken[token],
    rows,
    ...(token === 'UNKNOWN' ? reasonOf(rows) : { message: null, needsOsquery: null }),
    failures,
    resolves: (value) => !failures.has(value) && (isWhole || mended.has(value)),
    isUnknown: (value) => !failures.has(value) && unknown.has(value),
  }
}

function reasonOf(rows: readonly CheckRow[]): Pick<Judgement, 'message' | 'needsOsquery'> {
  const { reason, needsOsquery } = whyUnknown(rows)
  return { message: reason, needsOsquery }
}

function unreadableMessage(row: CheckRow): string {
  const token = row[statusColumn]
  return token === undefined
    ? `A row lacks the column ${statusColumn}`
    : `${statusColumn} is "${storable(token.slice(0, 40))}", which is none of ${checkStatuses.join(', ')}`
}

/** Failing rows are the last to go. */
function keptRows(rows: readonly CheckRow[]): CheckRow[] {
  if (rows.length <= maximumRows) {
    const kept = rows.map(storableRow)
    if (fittingRows(kept) === kept.length) return kept
  }
  const isFailing = (row: CheckRow) => tokenOf(row) === 'FAIL'
  const byWeight = [...rows.filter(isFailing), ...rows.filter((row) => !isFailing(row))]
  const kept = byWeight.slice(0, maximumRows).map(storableRow)
  return kept.slice(0, fittingRows(kept))
}

/** How many rows from the first on stay within the most characters that a result keeps, at least one. */
function fittingRows(rows: readonly CheckRow[]): number {
  let length = 0
  for (const [index, row] of rows.entries()) {
    for (const column in row) length += column.length + (row[column]?.length ?? 0)
    if (length > maximumLength && index > 0) return index
  }
  return rows.length
}

const storableValue = (text: string): string =>
  storable(text.length > maximumValueLength ? `${text.slice(0, maximumValueLength - 1)}…` : text)

const isBounded = (text: string): boolean => text.length <= maximumValueLength && isStorable(text)

function isStorableRow(row: CheckRow): boolean {
  for (const column in row) if (!isBounded(column) || !isBounded(row[column] ?? '')) return false
  return true
}

/** Rows that need no change, as nearly all, are not copied: there are thousands a second. */
const storableRow = (row: CheckRow): CheckRow =>
  row[reasonColumn] === '' || row[neededColumn] === '' ? storableRow(withoutNoReason(row)) : boundedRow(row)

/** Rows of decided answers have no reason to tell, and would show an empty one. */
const withoutNoReason = (row: CheckRow): CheckRow =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([column, value]) => value !== '' || (column !== reasonColumn && column !== neededColumn),
    ),
  )

const boundedRow = (row: CheckRow): CheckRow =>
  isStorableRow(row)
    ? row
    : Object.fromEntries(Object.entries(row).map(([column, value]) => [storableValue(column), storableValue(value)]))

function sortByIssue(rows: readonly CheckRow[], primaryKeyColumn: string | null) {
  const failures = new Map<IssueValue, CheckRow>()
  const mended = new Set<IssueValue>()
  const undecided = new Set<IssueValue>()
  const errored = new Set<IssueValue>()
  for (const row of rows) {
    const value = primaryKeyColumn === null ? null : (row[primaryKeyColumn] ?? null)
    const token = tokenOf(row)
    if (token === 'FAIL') {
      if (!failures.has(value)) failures.set(value, row)
    } else if (token === 'PASS' || token === 'INAPPLICABLE') mended.add(value)
    else (token === 'UNKNOWN' ? undecided : errored).add(value)
  }
  for (const value of [...undecided, ...errored]) mended.delete(value)
  return { failures, mended, undecided }
}

/** The results that count in `percent_passing`: all but `inapplicable` and `out_of_scope`. Each is counted apart. */
export const countedStatuses = ['passing', 'failing', 'errored', 'unknown', 'stale', 'pending'] as const
export type CountedStatus = (typeof countedStatuses)[number]

/** Truncated whole percent; 0 when no device counts. */
export const percentPassing = (passing: number, counted: number): number =>
  counted > 0 ? Math.floor((passing * 100) / counted) : 0
