import type { FieldError } from '@muster/contract/errors.ts'
import { type CheckStatus, checkStatuses } from '@muster/contract/external-check-runs.ts'
import { exceedsLimits, requestLimits } from '../../base/scan-json.ts'
import { isStorable } from '../../base/storable.ts'
import { type CheckRow, judge, maximumRows, statusColumn } from '../standing/rules.ts'

export type ReportedRows = {
  rows: CheckRow[]
  /** The rows as they were sent. */
  json: string
}

type Reading = { ok: ReportedRows } | { errors: FieldError[] }

const field = 'check_data'
/** As many as of an agent: a page of results has a hundred times as much. */
const maximumCharacters = 500_000

const lengthOf = (rows: readonly CheckRow[]): number =>
  rows.reduce((sum, row) => sum + Object.entries(row).flat().join('').length, 0)
const refused = (message: string): Reading => ({ errors: [{ field, message }] })

/**
 * Reads what is reported of an external check: a row, rows, or JSON text of either. Values become text, as osquery's
 * are: null is empty, lists and objects are JSON. Every row has to say its status, and the primary key where the check
 * has one, since a report that cannot be read would leave the issues as they are without anyone noticing.
 */
export function readReportedRows(checkData: unknown, primaryKeyColumn: string | null): Reading {
  const sent = typeof checkData === 'string' ? parseJson(checkData) : checkData
  const isList = Array.isArray(sent)
  const records: readonly unknown[] = isList ? sent : [sent]
  if (!records.every(isRecord)) return refused('must be an object or an array of objects, or JSON text of either')
  if (records.length === 0) return refused('must have at least one row')
  if (records.length > maximumRows) return refused(`must not have more than ${maximumRows} rows`)
  const rows = records.map(rowOf)
  if (lengthOf(rows) > maximumCharacters) return refused(`must not have more than ${maximumCharacters} characters`)
  const errors = rows.flatMap((row, index) => faultsOf(row, primaryKeyColumn, isList ? `${field}/${index}` : field))
  if (errors.length > 0) return { errors }
  return { ok: { rows, json: typeof checkData === 'string' ? checkData.trim() : JSON.stringify(checkData) } }
}

function parseJson(text: string): unknown {
  if (exceedsLimits(text, requestLimits)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const rowOf = (record: Record<string, unknown>): CheckRow =>
  Object.fromEntries(Object.entries(record).map(([column, value]) => [column, textOf(value)]))

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null ? '' : JSON.stringify(value)
}

const isStatus = (text: string | undefined): boolean => checkStatuses.some((status) => status === text)

function faultsOf(row: CheckRow, primaryKeyColumn: string | null, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (!isStatus(row[statusColumn])) {
    errors.push({ field: `${path}/${statusColumn}`, message: `must be one of ${checkStatuses.join(', ')}` })
  }
  if (primaryKeyColumn !== null && row[primaryKeyColumn] === undefined) {
    errors.push({
      field: `${path}/${primaryKeyColumn}`,
      message: 'is required: it tells the issues of the check apart',
    })
  }
  if (!Object.entries(row).flat().every(isStorable)) {
    errors.push({ field: path, message: 'must not contain NUL or half a surrogate pair' })
  }
  return errors
}

const statusOfJudgement: Record<ReturnType<typeof judge>['status'], CheckStatus> = {
  failing: 'FAIL',
  errored: 'ERROR',
  unknown: 'UNKNOWN',
  passing: 'PASS',
  inapplicable: 'INAPPLICABLE',
}

/** What the rows say together. */
export const statusOfRows = (rows: readonly CheckRow[], primaryKeyColumn: string | null): CheckStatus =>
  statusOfJudgement[judge({ kind: 'rows', rows }, primaryKeyColumn).status]
