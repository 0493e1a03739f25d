import type { SearchField } from './search.ts'

// The fields that many records share; each record's own file puts them together under its names.

export const identifierField = { kind: 'identifier', operators: [':'], multiple: true } as const satisfies SearchField

export const textField = { kind: 'string', operators: [':', '~'], multiple: true } as const satisfies SearchField
export const nullableTextField = { ...textField, nullable: true } as const satisfies SearchField
/** UUIDs and serial numbers are the same in either case. */
export const hardwareField = { ...textField, nullable: true, ignoreCase: true } as const satisfies SearchField
export const emailField = { ...textField, ignoreCase: true } as const satisfies SearchField

export const timeField = { kind: 'datetime', operators: [':', '<', '<=', '>', '>='] } as const satisfies SearchField
export const nullableTimeField = { ...timeField, nullable: true } as const satisfies SearchField

export const flagField = { kind: 'boolean', operators: [':'] } as const satisfies SearchField

export const choiceField = <const Values extends readonly string[]>(values: Values) =>
  ({ kind: 'enum', operators: [':', '~'], multiple: true, values }) as const satisfies SearchField
