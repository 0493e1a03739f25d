import { isDeepStrictEqual } from 'node:util'
import type { AuditChange } from '@muster/contract/audit-changes.ts'
import { storable } from '../../base/storable.ts'

/** Of text in `changes`, so that no entry is larger than what a page shows. */
const maxTextLength = 2_000

/** Whether a text of `changes` is longer than what is kept of it, or was before it was kept. */
export const isCut = (text: string): boolean => text.length > maxTextLength

/** What differs of the named fields. Undefined is kept as null. */
export const changesBetween = <Field extends string>(
  before: { readonly [Name in Field]?: unknown },
  after: { readonly [Name in Field]?: unknown },
  fields: readonly Field[],
): (AuditChange & { field: Field })[] =>
  fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: before[field] ?? null, to: after[field] ?? null }))

/** As they are stored: texts cut, and with U+FFFD for what PostgreSQL cannot hold. */
export const storableChanges = (changes: readonly AuditChange[]): AuditChange[] =>
  changes.map(({ field, from, to }) => ({ field, from: storableValue(from), to: storableValue(to) }))

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') {
    return isCut(value) ? `${storable(value, maxTextLength)}…` : storable(value)
  }
  if (Array.isArray(value)) return value.map(storableValue)
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, storableValue(inner)]))
}
