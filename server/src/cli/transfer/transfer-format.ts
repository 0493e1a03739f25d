import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * A deployment as lines of JSON: header, rows parents first, sequences, end. Values are PostgreSQL's own text forms,
 * which lose nothing: a JSON null inside a column differs from an absent value, and numbers keep their digits.
 */
export const transferFormat = 'muster-export'
export const transferVersion = 1

const count = Type.Integer({ minimum: 0 })

export const headerLine = Compile(
  Type.Object({
    format: Type.Literal(transferFormat),
    version: Type.Integer(),
    schema: Type.Object({ version: Type.Integer(), checksum: Type.String() }),
    master_key_fingerprint: Type.String(),
    created_at: Type.String(),
  }),
)

/** A row `r` of table `t`. */
export const rowLine = Compile(
  Type.Object({
    t: Type.String(),
    r: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
  }),
)

/** How far an identity has counted, which is further than the highest row when rows were deleted. */
const sequence = Type.Object({
  table: Type.String(),
  column: Type.String(),
  last_value: Type.String({ pattern: /^\d{1,19}$/ }),
})
export const sequenceLine = Compile(Type.Object({ sequence }))
export type SequencePosition = Static<typeof sequence>

/** Rows of each table, and the SHA-256 of every byte before this line. */
export const endLine = Compile(
  Type.Object({ end: Type.Object({ rows: Type.Record(Type.String(), count), sha256: Type.String() }) }),
)
