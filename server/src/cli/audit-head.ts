import Type, { type Static } from 'typebox'

/** What `muster audit head` writes and `muster audit verify` takes. */
export const AuditHead = Type.Object({
  format: Type.Literal('muster audit head'),
  version: Type.Literal(1),
  organization_id: Type.String({ pattern: '^[0-9]{1,19}$' }),
  last_id: Type.String({ pattern: '^[0-9]{1,19}$' }),
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  count: Type.Integer({ minimum: 0 }),
  exported_at: Type.String({ maxLength: 30 }),
  mac: Type.String({ pattern: '^[0-9a-f]{32}$' }),
})
export type AuditHead = Static<typeof AuditHead>
