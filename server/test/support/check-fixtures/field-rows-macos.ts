import type { FieldCase } from './field-case.ts'

/** What real Macs answer. */
export const macosFieldRows: readonly FieldCase[] = []
