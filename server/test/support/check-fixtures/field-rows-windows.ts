import type { FieldCase } from './field-case.ts'

/** What real Windows computers answer. */
export const windowsFieldRows: readonly FieldCase[] = []
