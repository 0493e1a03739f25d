import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Db } from '../../../base/db/transact.ts'
import { columnOf } from '../queries.ts'

export type PolledStream = {
  id: string
  deliveryType: 'push' | 'poll'
  needsNoPollToken: boolean
  /** Whether the token that was sent is one of the stream's. */
  isTokenValid: boolean
  /** Whether the stream has any token at all. */
  hasToken: boolean
  /** The key that created the stream, if a key did. */
  createdByKeyId: string | null
}

/** A stream by `id` or `stream_id`, and how the token of a poll stands to it, in one statement. */
export async function findPolledStream(
  db: Db,
  organizationId: string,
  reference: string,
  { tokenHash, now }: { tokenHash: Buffer | undefined; now: string },
): Promise<PolledStream | undefined> {
  const column = columnOf(reference)
  if (!column) return undefined
  const { rows } = await sql<PolledStream>`
    select id, delivery_type as "deliveryType", needs_no_poll_token as "needsNoPollToken",
      coalesce(tokens.is_valid, false) as "isTokenValid", tokens.count > 0 as "hasToken",
      created_by_key_id as "createdByKeyId"
    from ssf_streams
    left join lateral (
      select bool_or(token.lookup_hash = ${tokenHash ?? null}::bytea) as is_valid, count(*) as count
      from ssf_poll_tokens as token
      where token.organization_id = ssf_streams.organization_id and token.stream_id = ssf_streams.id
        and (token.valid_until is null or token.valid_until > ${now}::timestamptz)
    ) as tokens on true
    where ${inOrganization('ssf_streams', organizationId)} and ssf_streams.deleted_at is null
      and ${sql.ref(column)} = ${reference}
  `.execute(db)
  return rows[0]
}
