import type { Feature } from '@muster/contract/features.ts'
import { sql } from 'kysely'
import { systemActor } from '../../../base/change-context.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Db } from '../../../base/db/transact.ts'
import type { Secrets } from '../../../base/secrets/secrets.ts'
import { isPollToken, pollTokenHash } from '../poll-tokens.ts'
import { columnOf } from '../queries.ts'

type Parts = { db: Db; secrets: Secrets; clock: Clock }

/** The poll token of a stream as the only credential: it opens the events of this stream (RFC 8936 §3). */
export const pollTokenBearer = ({ db, secrets, clock }: Parts) => ({
  matches: isPollToken,
  admit: async (bearer: string, params: unknown) => {
    const { stream_id: reference = '' } = params as { stream_id?: string }
    const asked = { tokenHash: pollTokenHash(secrets, bearer), reference, now: clock() }
    const row = await countPoll(db, asked)
    return (
      row && {
        caller: { organizationId: row.organization_id, actor: systemActor, baseUrl: row.base_url },
        isAtOwnAddressOnly: row.is_at_own_address_only,
        disabledFeatures: new Set(row.disabled_features),
        position: row.used,
        resetSeconds: Math.max(1, Math.ceil(row.milliseconds_left / 1_000)),
      }
    )
  },
})

type Asked = { tokenHash: Buffer; reference: string; now: string }
type Row = {
  organization_id: string
  disabled_features: Feature[]
  base_url: string | null
  is_at_own_address_only: boolean
  used: number
  milliseconds_left: number
}

/**
 * Finds the stream of a poll token and counts a request to it, in one statement and exact across processes. Nothing is
 * counted where the token is not valid, or belongs to another stream than the address names.
 */
async function countPoll(db: Db, { tokenHash, reference, now }: Asked): Promise<Row | undefined> {
  const column = columnOf(reference)
  if (!column) return undefined
  const { rows } = await sql<Row>`
    with known as (
      select token.organization_id, token.stream_id, organizations.disabled_features, organizations.base_url,
        organizations.old_addresses_ended_at is not null as is_at_own_address_only
      from ssf_poll_token_lookups as lookup
      join ssf_poll_tokens as token on token.organization_id = lookup.organization_id
        and token.stream_id = lookup.stream_id and token.lookup_hash = lookup.lookup_hash
        and (token.valid_until is null or token.valid_until > ${now}::timestamptz)
      join ssf_streams on ssf_streams.organization_id = token.organization_id and ssf_streams.id = token.stream_id
        and ssf_streams.deleted_at is null
      join organizations on organizations.id = token.organization_id
      where lookup.lookup_hash = ${tokenHash} and ${sql.ref(column)} = ${reference}
    ), counted as (
      insert into ssf_poll_windows as counting (organization_id, stream_id, started_at, used)
      select organization_id, stream_id, date_trunc('milliseconds', now()), 1 from known
      on conflict on constraint ssf_poll_windows_pkey do update set
        started_at = case when counting.started_at + interval '1 minute' <= now()
          or counting.started_at > now() + interval '1 minute'
          then excluded.started_at else counting.started_at end,
        used = case when counting.started_at + interval '1 minute' <= now()
          or counting.started_at > now() + interval '1 minute'
          then 1 else least(counting.used + 1, 1000000000) end
      returning used,
        ceil(1000 * extract(epoch from started_at + interval '1 minute' - now()))::integer
          as milliseconds_left
    )
    select known.organization_id, known.disabled_features, known.base_url, known.is_at_own_address_only, counted.used, counted.milliseconds_left
    from known, counted`.execute(db)
  return rows[0]
}
