import { identifierPattern } from '@muster/contract/schema-kit.ts'

type Params = Readonly<Record<string, unknown>>

const typeNames: Partial<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

const formatNames: Partial<Record<string, string>> = {
  'date-time': 'an ISO 8601 date and time with a time zone, such as 2026-01-31T09:30:00Z or 2026-01-31T15:00:00+05:30',
  email: 'an email address',
  uri: 'a URL',
  uuid: 'a UUID',
}

const counted = (count: unknown, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
const atLeast = (noun: string) => (params: Params) => `must have at least ${counted(params['limit'], noun)}`
const atMost = (noun: string) => (params: Params) => `must have at most ${counted(params['limit'], noun)}`

/** JSON Schema's keywords, except unions. What none of them explains is "not acceptable". */
const messages: Partial<Record<string, (params: Params) => string>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not known here',
  type: ({ type }) => `must be ${typesOf(type).join(' or ')}`,
  enum: ({ allowedValues }) =>
    Array.isArray(allowedValues)
      ? `must be one of ${allowedValues.filter((one) => one !== null).join(', ')}`
      : 'is not allowed',
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  format: ({ format }) => `must be ${formatNames[String(format)] ?? `of the format ${format}`}`,
  pattern: ({ pattern }) => (pattern === identifierPattern ? `must be ${identifierForms}` : 'is not in the right form'),
  minLength: (params) => (params['limit'] === 1 ? 'must not be empty' : atLeast('character')(params)),
  maxLength: atMost('character'),
  minItems: atLeast('item'),
  maxItems: atMost('item'),
  uniqueItems: () => 'must not have repeated items',
  minProperties: atLeast('member'),
  maxProperties: atMost('member'),
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
}

export const identifierForms = 'an identifier: digits, as a string or a number'

export const typesOf = (type: unknown): string[] =>
  [type].flat().map((name) => typeNames[String(name)] ?? `of the type ${name}`)

const withoutZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?$/i

/** Of a moment that lacks its zone alone, which is never assumed: the wrong one is hours away. */
const lacksZone = (params: Params, value: unknown): value is string =>
  params['format'] === 'date-time' &&
  typeof value === 'string' &&
  withoutZone.test(value) &&
  !Number.isNaN(Date.parse(`${value}Z`))

/**
 * What a validator found against a value, as a plain sentence that begins after the name of the field. It can say more
 * where it is given the value.
 */
export const describeFault = ({ keyword, params }: { keyword: string; params: Params }, value?: unknown): string =>
  lacksZone(params, value)
    ? `has no time zone: write ${value}Z for UTC, or an offset in place of the Z, such as +05:30`
    : (messages[keyword]?.(params) ?? 'is not acceptable')
