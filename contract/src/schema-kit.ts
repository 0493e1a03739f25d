import Type, { type Static, type TSchema, type TSchemaOptions, type TUnsafe } from 'typebox'

/**
 * A value that may be null. Written as the `nullable` keyword because the response serializer is a third slower
 * with a union; the OpenAPI documents show it as a type list. A description given here replaces the schema's own.
 */
export const Nullable = <Schema extends TSchema>(
  schema: Schema,
  options: { description?: string } = {},
): TUnsafe<Static<Schema> | null> => Type.Unsafe<Static<Schema> | null>({ ...schema, ...options, nullable: true })

/** One of a fixed set of strings. Names its type, without which validators refuse `nullable` beside `enum`. */
export const Choice = <const Value extends string>(values: readonly Value[], description: string): TUnsafe<Value> =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description })

/** ISO 8601, UTC, milliseconds, `Z`. */
export const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** Decimal digits; a 64-bit integer inside. */
export const Identifier = (description: string) => Type.String({ description })

/** Of identifiers in requests. */
export const identifierPattern = '^[0-9]{1,18}$'

/**
 * An identifier in a request: a string or an integer. Eighteen digits keep every accepted value inside 64 bits, and
 * larger integers than the maximum have lost digits before they reach us.
 */
export const IdentifierInput = (description: string) =>
  Type.Union(
    [Type.String({ pattern: identifierPattern }), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })],
    {
      description,
    },
  )

/** Free text. */
export const Text = (description: string, options: TSchemaOptions = {}) => Type.String({ ...options, description })

export const Flag = (description: string) => Type.Boolean({ description })

/** A whole number that is never negative. */
export const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** JSON written into a string. */
export const JsonText = (description: string) => Type.String({ format: 'json', description })

/** One row of a check's answer: every value as text. */
export const Row = (description: string) =>
  Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' }, description })

/** Another record. `{identifier: "", link: null}` where nothing is linked. */
export const Link = (description: string) =>
  Type.Object(
    {
      identifier: Identifier('Identifier of the linked record; blank when nothing is linked.'),
      link: Nullable(Text('Address of the linked record in this API; null when nothing is linked.', { format: 'uri' })),
    },
    { description },
  )
export type Link = Static<ReturnType<typeof Link>>
