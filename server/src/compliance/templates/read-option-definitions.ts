import type { FieldError } from '@muster/contract/errors.ts'
import Type, { type TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { describeFault } from '../../base/describe-fault.ts'
import { type OptionDefinition, optionFault } from './option-kinds.ts'
import type { OptionDefinitions } from './options.ts'

const name = '^[a-z][a-z0-9_]{0,63}$'
const maxOptions = 50
const most = 10_000

const text = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
const title = { title: text }
const described = { ...title, description: text }
const count = Type.Integer({ minimum: 0, maximum: most })
const limits = {
  integer: {
    min: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    max: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  },
  text: { maxLength: Type.Integer({ minimum: 1, maximum: most }) },
  list: { minItems: count, maxItems: count },
}

const strict = (members: Record<string, TSchema>) => Type.Object(members, { additionalProperties: false })
const kind = (value: string) => ({ kind: Type.Literal(value) })
const dictionary = (maximum: number) =>
  Type.Object({}, { maxProperties: maximum, propertyNames: Type.String({ pattern: name }) })

const fieldSchemas: Readonly<Record<string, TSchema>> = {
  integer: strict({ ...kind('integer'), ...title, ...limits.integer }),
  text: strict({ ...kind('text'), ...title, ...limits.text }),
  version: strict({ ...kind('version'), ...title }),
}

const standard = { default: Type.Unknown(), ...described }
const definitionSchemas: Readonly<Record<string, TSchema>> = {
  integer: strict({ ...kind('integer'), ...standard, ...limits.integer }),
  text: strict({ ...kind('text'), ...standard, ...limits.text }),
  version: strict({ ...kind('version'), ...standard }),
  text_list: strict({ ...kind('text_list'), ...standard, ...limits.text, ...limits.list }),
  integer_list: strict({ ...kind('integer_list'), ...standard, ...limits.integer, ...limits.list }),
  record_list: strict({ ...kind('record_list'), ...standard, ...limits.list, fields: dictionary(maxOptions) }),
}

/** In JSON text, which escapes both. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i

/**
 * Reads the option definitions of a check that someone wrote, from a parsed JSON value: each of a known kind, complete,
 * and with a default that fits it. Faults have paths below `path`.
 */
export function readOptionDefinitions(
  json: unknown,
  path: string,
): { ok: OptionDefinitions } | { errors: FieldError[] } {
  const faults = faultsUnder(dictionary(maxOptions), json, path)
  if (faults.length > 0) return { errors: faults }
  // An object with names that fit, as was just seen; each of its members is looked at next.
  const definitions = json as Record<string, unknown>
  const errors = Object.entries(definitions).flatMap(([option, value]) => definitionFaults(value, `${path}/${option}`))
  return errors.length > 0 ? { errors } : { ok: definitions as OptionDefinitions }
}

function definitionFaults(value: unknown, path: string): FieldError[] {
  const faults = faultsOfKind(definitionSchemas, value, path)
  if (faults.length > 0) return faults
  if (unstorable.test(JSON.stringify(value))) {
    return [{ field: path, message: 'must not contain NUL or half a surrogate pair' }]
  }
  // It has the members of its kind.
  const definition = value as OptionDefinition
  if (definition.kind === 'record_list') {
    const ofFields = Object.entries(definition.fields).flatMap(([field, of]) =>
      faultsOfKind(fieldSchemas, of, `${path}/fields/${field}`),
    )
    if (ofFields.length > 0) return ofFields
  }
  const fault = optionFault(definition, definition.default, `${path}/default`)
  return fault ? [fault] : []
}

function faultsOfKind(schemas: Readonly<Record<string, TSchema>>, value: unknown, path: string): FieldError[] {
  const named = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  const schema = typeof named === 'string' && Object.hasOwn(schemas, named) ? schemas[named] : undefined
  if (schema) return faultsUnder(schema, value, path)
  return [{ field: `${path}/kind`, message: `must be one of ${Object.keys(schemas).join(', ')}` }]
}

/** What a schema says against a value, in the form of all faults of requests. */
export const faultsUnder = (schema: TSchema, value: unknown, path: string): FieldError[] =>
  Errors(schema, value)
    // Each unknown or misnamed member is also reported on its own.
    .filter(({ keyword }) => keyword !== 'additionalProperties' && keyword !== 'propertyNames')
    .map(({ keyword, instancePath, params }) => {
      const field = `${path}${instancePath}`.replace(/^\//, '')
      if (keyword === 'boolean') return { field, message: 'is not known here' }
      return { field, message: describeFault({ keyword, params: { ...params } }) }
    })
