import { hash } from 'node:crypto'
import { isSameValue } from './same-value.ts'

const maxShownLength = 200

/**
 * One clause for each of the named fields that differ, `name from "a" to "b"`, joined by semicolons; blank when none
 * does. Long texts are cut, with their digest, so that two of them are told apart.
 */
export const describeFieldChanges = <Field extends string>(
  before: Readonly<Record<Field, unknown>>,
  after: Readonly<Record<Field, unknown>>,
  names: readonly Field[],
): string =>
  names
    .filter((name) => !isSameValue(before[name], after[name]))
    .map((name) => `${name} from ${shown(before[name])} to ${shown(after[name])}`)
    .join('; ')

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
  if (text.length <= maxShownLength) return text
  return `${text.slice(0, maxShownLength).toWellFormed()}… (${text.length} characters, SHA-256 ${hash('sha256', text).slice(0, 12)})`
}
