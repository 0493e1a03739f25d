import type { FieldCase } from './field-case.ts'

/** What real Linux computers answer, and every system alike. */
export const linuxFieldRows: readonly FieldCase[] = []
