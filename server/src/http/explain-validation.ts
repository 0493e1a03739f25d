import type { FieldError } from '@muster/contract/errors.ts'
import { identifierPattern } from '@muster/contract/schema-kit.ts'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { ServiceError } from '../errors.ts'

const maxErrors = 50

/** The validator's findings as the caller reads them: one for each field, in plain sentences. */
export function explainValidation(findings: readonly FastifySchemaValidationError[]): ServiceError {
  const errors = new Map<string, FieldError>()
  const alternatives = new Map<string, FastifySchemaValidationError[]>()
  for (const finding of findings) {
    const field = fieldOf(finding)
    const isUnion = finding.keyword === 'anyOf' || finding.keyword === 'oneOf'
    // Each failed alternative of a union is reported before the union itself.
    if (errors.has(field) && !isUnion) {
      alternatives.get(field)?.push(finding)
      continue
    }
    if (errors.size >= maxErrors && !errors.has(field)) continue
    const message = isUnion ? messageOfUnion(alternatives.get(field) ?? []) : messageOf(finding)
    errors.set(field, { field, message })
    if (!isUnion) alternatives.set(field, [finding])
  }
  return new ServiceError('invalid', { errors: [...errors.values()] })
}

/** The same for a protocol in which a body of another form is a bad request. */
export function explainMalformed(findings: readonly FastifySchemaValidationError[]): ServiceError {
  return asMalformed(explainValidation(findings))
}

/** A refusal with faults as a bad request that names them. */
export function asMalformed({ errors: faults = [], message }: ServiceError): ServiceError {
  if (faults.length === 0) return new ServiceError('malformed_request', { message })
  const text = faults.slice(0, 5).map(({ field, message }) => `${field || 'the body'} ${message}`)
  return new ServiceError('malformed_request', { message: `The request cannot be understood: ${text.join('; ')}.` })
}

function fieldOf({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const member =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : undefined
  const path = typeof member === 'string' ? `${instancePath}/${member}` : instancePath
  return path.slice(1)
}

type Params = FastifySchemaValidationError['params']

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
  'date-time': 'an ISO 8601 date and time, such as 2026-01-31T09:30:00Z',
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

const identifierForms = 'an identifier: digits, as a string or a number'

const typesOf = (type: unknown): string[] =>
  [type].flat().map((name) => typeNames[String(name)] ?? `of the type ${name}`)

const messageOf = ({ keyword, params }: FastifySchemaValidationError): string =>
  messages[keyword]?.(params) ?? 'is not acceptable'

function messageOfUnion(alternatives: readonly FastifySchemaValidationError[]): string {
  if (alternatives.some(({ params }) => params['pattern'] === identifierPattern)) return `must be ${identifierForms}`
  if (alternatives.every(({ keyword }) => keyword === 'type')) {
    const types = new Set(alternatives.flatMap(({ params }) => typesOf(params['type'])))
    if (types.size > 0) return `must be ${[...types].join(' or ')}`
  }
  const reasons = new Set(alternatives.map(messageOf))
  return reasons.size > 0 ? [...reasons].join(' or ') : 'has none of the accepted forms'
}
