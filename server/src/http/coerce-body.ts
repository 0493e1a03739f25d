import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

type Schema = Readonly<{
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  anyOf?: readonly Schema[]
}>

type Coercion = (value: unknown) => unknown

/**
 * Makes the function that prepares a body for validation: no body is an empty one, so that the refusal names what is
 * missing, and the strings "true" and "false" are read as booleans where the schema has one, as some clients write them.
 * Nothing else is converted.
 */
export function bodyCoercion(schema: TSchema): (request: FastifyRequest) => void {
  const coerce = coercionOf(schema as Schema)
  return (request) => {
    const body = request.body === undefined ? {} : request.body
    request.body = coerce ? coerce(body) : body
  }
}

/** Undefined where the schema has no boolean. */
function coercionOf(schema: Schema): Coercion | undefined {
  if (schema.type === 'boolean') return toBoolean
  const parts = [propertyCoercion(schema), itemCoercion(schema), ...(schema.anyOf ?? []).map(coercionOf)].filter(
    (part) => part !== undefined,
  )
  if (parts.length === 0) return undefined
  return (value) => parts.reduce((coerced, part) => part(coerced), value)
}

const toBoolean: Coercion = (value) => (value === 'true' ? true : value === 'false' ? false : value)

function propertyCoercion({ properties = {} }: Schema): Coercion | undefined {
  const coercions = Object.entries(properties).flatMap(([name, property]): [string, Coercion][] => {
    const coercion = coercionOf(property)
    return coercion ? [[name, coercion]] : []
  })
  if (coercions.length === 0) return undefined
  return (value) => {
    if (!isRecord(value)) return value
    for (const [name, coercion] of coercions) if (Object.hasOwn(value, name)) value[name] = coercion(value[name])
    return value
  }
}

function itemCoercion({ items }: Schema): Coercion | undefined {
  const coercion = items && coercionOf(items)
  return coercion && ((value) => (Array.isArray(value) ? value.map(coercion) : value))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
