export type SectionStatus = 'missing' | 'bad' | 'good'

/** The state of a part of a draft, with a reason for people for everything that keeps it from being good. */
export type Section = { status: SectionStatus; reasons: string[] }

/** Something wrong weighs more than something that is still to be filled in. */
export function sectionOf(missing: readonly string[], faults: readonly string[]): Section {
  const status = faults.length > 0 ? 'bad' : missing.length > 0 ? 'missing' : 'good'
  return { status, reasons: [...missing.map((what) => `${what} is missing`), ...faults] }
}

export const isBlank = (text: string): boolean => text.trim() === ''

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
export const hasControls = (text: string): boolean => /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text)

/** For what is shown on one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
export const isOneLine = (text: string): boolean => !/[\u0000-\u001f\u007f]/.test(text)

export type ExampleRow = Record<string, string>

const maxRows = 100

/** Rows as agents send them, from JSON text; or what is wrong with them. */
export function readExampleRows(json: string): { rows: ExampleRow[] } | { fault: string } {
  const value: unknown = JSON.parse(json)
  if (!Array.isArray(value) || !value.every(isRow)) return { fault: 'must be a list of objects whose values are texts' }
  if (value.length > maxRows) return { fault: `must not have more than ${maxRows} rows` }
  return { rows: value }
}

const isRow = (value: unknown): value is ExampleRow =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((member) => typeof member === 'string')
