import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

type Coercion = (text: string) => unknown

const coercions: Readonly<Record<string, Coercion>> = {
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
}

/**
 * Makes the function that reads numbers and truth values in a query string. Here rather than by the validator, which would
 * then also take "1" for 1 in bodies. What cannot be read stays text, for the validator to refuse.
 */
export function queryCoercion(schema: TSchema) {
  const properties: Record<string, { type?: string }> = 'properties' in schema ? Object(schema.properties) : {}
  const coerced = Object.entries(properties).flatMap(([name, { type = '' }]): [string, Coercion][] => {
    const coercion = coercions[type]
    return coercion ? [[name, coercion]] : []
  })
  return (request: FastifyRequest): void => {
    const query = request.query as Record<string, unknown>
    for (const [name, coercion] of coerced) {
      const value = query[name]
      if (typeof value === 'string') query[name] = coercion(value)
    }
  }
}
