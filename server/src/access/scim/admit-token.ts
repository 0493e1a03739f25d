import type { Feature } from '@muster/contract/features.ts'
import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

export type AdmittedToken = {
  readonly organizationId: string
  readonly name: string
  readonly disabledFeatures: readonly Feature[]
  /** The organization's own base address. */
  readonly baseUrl: string | null
  readonly isAtOwnAddressOnly: boolean
  /** Which request of the token's minute this is, from 1. */
  readonly position: number
  /** Whole seconds until the minute ends, at least 1. */
  readonly resetSeconds: number
}

type Row = {
  organization_id: string
  name: string
  disabled_features: Feature[]
  base_url: string | null
  is_at_own_address_only: boolean
  used: number
  milliseconds_left: number
}

/**
 * Finds the token of a look-up hash and counts a request of it, in one statement and exact across processes. A minute
 * starts at a token's first request, by the database's clock. The last use is written once a minute.
 */
export async function admitToken(db: Db, lookupHash: Buffer, now: string): Promise<AdmittedToken | undefined> {
  const { rows } = await sql<Row>`
    with known as (
      select token.organization_id, token.id, token.name, organizations.disabled_features, organizations.base_url,
        organizations.old_addresses_ended_at is not null as is_at_own_address_only
      from scim_token_lookups as lookup
      join scim_tokens as token on token.organization_id = lookup.organization_id and token.id = lookup.scim_token_id
        and token.revoked_at is null
      join organizations on organizations.id = token.organization_id
      where lookup.lookup_hash = ${lookupHash}
    ), counted as (
      insert into scim_rate_windows as counting (organization_id, scim_token_id, started_at, used)
      select organization_id, id, date_trunc('milliseconds', now()), 1 from known
      on conflict on constraint scim_rate_windows_pkey do update set
        started_at = case when counting.started_at + interval '1 minute' <= now()
          or counting.started_at > now() + interval '1 minute'
          then excluded.started_at else counting.started_at end,
        used = case when counting.started_at + interval '1 minute' <= now()
          or counting.started_at > now() + interval '1 minute'
          then 1 else least(counting.used + 1, 1000000000) end
      returning used, ceil(1000 * extract(epoch from started_at + interval '1 minute' - now()))::integer
        as milliseconds_left
    ), noted as (
      update scim_tokens set last_used_at = ${now}::timestamptz from known
      where scim_tokens.organization_id = known.organization_id and scim_tokens.id = known.id
        and coalesce(scim_tokens.last_used_at < ${now}::timestamptz - interval '1 minute', true)
    )
    select known.organization_id, known.name, known.disabled_features, known.base_url, known.is_at_own_address_only,
      counted.used, counted.milliseconds_left
    from known, counted`.execute(db)
  const [row] = rows
  if (!row) return undefined
  return {
    organizationId: row.organization_id,
    name: row.name,
    disabledFeatures: row.disabled_features,
    baseUrl: row.base_url,
    isAtOwnAddressOnly: row.is_at_own_address_only,
    position: row.used,
    resetSeconds: Math.max(1, Math.ceil(row.milliseconds_left / 1000)),
  }
}
