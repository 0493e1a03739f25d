import Type, { type TSchema, type TUnsafe, type Static } from 'typebox'

/**
 * A value that may be null. Written as the `nullable` keyword because the response serializer is a third slower
 * with a union; the OpenAPI documents show it as a type list.
 */
export const Nullable = <Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, nullable: true })

/** ISO 8601, UTC, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-20T09:14:03.000Z'] })

/** Decimal digits; a 64-bit integer inside. */
export const Identifier = Type.String({ examples: ['1042'] })

/** A record that another record names. `{identifier: "", link: null}` where nothing is linked. */
export const Link = Type.Object({ identifier: Type.String(), link: Nullable(Type.String({ format: 'uri' })) })
