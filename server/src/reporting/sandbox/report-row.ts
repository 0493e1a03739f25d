import { refuse } from './query-refused.ts'

export type ReportRow = { readonly content: string; readonly bytes: number }

/** So that a page of 100 rows stays below 2 MB. */
const maxRowBytes = 16_000

/** PostgreSQL's JSON form of a timestamptz at UTC. */
const instantPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00:00$/

/**
 * One row of JSON from the database as it is stored and answered: times as everywhere in the API, identifiers as text
 * (columns named `id` or `…_id`), numbers as text where JavaScript would change them, and texts cut with an ellipsis
 * until the row fits.
 */
export function boundRow(json: string): ReportRow {
  const row = parseRow(json)
  let content = JSON.stringify(row)
  for (let longest = 4_000; Buffer.byteLength(content) > maxRowBytes; longest = Math.floor(longest / 2)) {
    content = JSON.stringify(
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cut(value, longest)])),
    )
    if (longest === 0) break
  }
  return { content, bytes: Buffer.byteLength(content) }
}

function parseRow(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json, presentValue as Reviver) as Record<string, unknown>
  } catch (error) {
    if (error instanceof RangeError) refuse('The query returns JSON that is nested too deeply.')
    throw error
  }
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown

function presentValue(key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value === 'string') {
    const [, moment, fraction = ''] = instantPattern.exec(value) ?? []
    return moment === undefined ? value : `${moment}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  }
  if (typeof value !== 'number') return value
  const source = context.source ?? String(value)
  return key === 'id' || key.endsWith('_id') || !isKept(source, value) ? source : value
}

/** Whether JavaScript keeps it: a fraction is rounded as everywhere, a bigint beyond 2^53 would be another number. */
const isKept = (source: string, value: number): boolean =>
  Number.isSafeInteger(value) || (Number.isFinite(value) && !/^-?\d+$/.test(source))

function cut(value: unknown, longest: number): unknown {
  const text = typeof value === 'string' ? value : typeof value === 'object' && value ? JSON.stringify(value) : ''
  if (text.length <= longest) return value
  return `${text
    .slice(0, longest)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}
