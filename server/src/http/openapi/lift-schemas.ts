import { isDeepStrictEqual } from 'node:util'

/** A JSON Schema, ours or one of the document. */
export type Schema = Readonly<Record<string, unknown>>

/**
 * Turns our schemas into OpenAPI 3.1's: `nullable` becomes a list of types, and what has a title becomes a component
 * that is referred to. Two schemas of one title must be the same but for their descriptions.
 */
export function schemaLifter() {
  const components: Record<string, Schema> = {}
  /** Components whose description is that of a place where they may be null, rather than their own. */
  const borrowed = new Set<string>()

  function lift(schema: Schema): Schema {
    const { nullable, ...plain } = schema
    const title = plain['title']
    if (typeof title !== 'string') return nullable ? orNull(convert(plain)) : convert(plain)
    const reference = refer(title, plain, nullable === true)
    return nullable ? withDescription({ anyOf: [reference, { type: 'null' }] }, plain) : reference
  }

  function refer(title: string, plain: Schema, isNullable: boolean): Schema {
    const known = components[title]
    if (!known) {
      if (isNullable) borrowed.add(title)
      // Taken first, so that a schema that contains itself ends.
      components[title] = {}
      components[title] = convert(plain)
    } else if (!isNullable && borrowed.delete(title)) {
      components[title] = withDescription(known, plain)
    }
    const converted = convert(plain)
    if (known && Object.keys(known).length > 0 && !isDeepStrictEqual(undescribed(known), undescribed(converted))) {
      throw new Error(`Two schemas have the title ${title}`)
    }
    const isOwn = isNullable || components[title]?.['description'] === plain['description']
    const reference = { $ref: `#/components/schemas/${title}` }
    return isOwn ? reference : withDescription(reference, plain)
  }

  function convert(schema: Schema): Schema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, convertKeyword(keyword, value)]),
    )
  }

  function convertKeyword(keyword: string, value: unknown): unknown {
    if (keyword === 'properties') return mapValues(value as Record<string, Schema>, lift)
    if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') return (value as Schema[]).map(lift)
    if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object') {
      return lift(value as Schema)
    }
    return value
  }

  return { lift, components }
}

export type Lift = ReturnType<typeof schemaLifter>['lift']

const mapValues = <From, To>(record: Record<string, From>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

const withDescription = (schema: Schema, { description }: Schema): Schema =>
  description === undefined ? schema : { ...schema, description }

const undescribed = ({ description: _, ...rest }: Schema): Schema => rest

function orNull(schema: Schema): Schema {
  const { type, enum: values, anyOf, ...rest } = schema
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [...anyOf, { type: 'null' }] }
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }), ...rest }
}
