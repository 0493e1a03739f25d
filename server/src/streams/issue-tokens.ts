import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { type Db, type Tx, transact } from '../db/transact.ts'
import { audienceOf } from './audience.ts'
import { claimsOf } from './build-claims.ts'
import type { PendingEvent } from './list-pending.ts'
import { lockHeads } from './number-events.ts'
import type { TokenSigner } from './token-signer.ts'

export type Issuer = { db: Db; signer: TokenSigner; baseUrl: string; clock: Clock }

export type IssuedEvent = PendingEvent & { sequence: string; token: string }

/**
 * Signs what has no token yet and keeps the tokens, with their numbers, before anybody is given one: however often an
 * event is sent, by whatever process, its bytes are the same. Of two processes that issue one event, both get the
 * token that was kept first. What is no longer there is left out.
 */
export async function issueTokens(issuer: Issuer, events: readonly PendingEvent[]): Promise<IssuedEvent[]> {
  const fresh = events.filter(({ token, sequence }) => token === null || sequence === null)
  if (fresh.length === 0) return events.filter(isIssued)
  const issuedAt = issuer.clock()
  const tokens = await Promise.all(fresh.map((event) => sign(issuer, event, issuedAt)))
  const kept = await transact(issuer.db, async (tx) => {
    const locked = await lockHeads(tx, streamsOf(fresh))
    return locked.length === 0 ? [] : keep(tx, fresh, tokens, issuedAt)
  })
  const byId = new Map(kept.map((row) => [keyOf(row), row]))
  return events.map((event) => ({ ...event, ...byId.get(keyOf(event)) })).filter(isIssued)
}

const isIssued = (event: PendingEvent): event is IssuedEvent => event.token !== null && event.sequence !== null
const keyOf = ({ streamId, id }: { streamId: string; id: string }): string => `${streamId}/${id}`

function streamsOf(events: readonly PendingEvent[]) {
  const streams = events.map(({ organizationId, streamId }) => ({ organizationId, streamId }))
  return [...new Map(streams.map((stream) => [stream.streamId, stream])).values()]
}

async function sign({ signer, baseUrl }: Issuer, event: PendingEvent, issuedAt: string): Promise<string> {
  if (event.token !== null) return event.token
  const { streamUuid, specVersion, audience, jti } = event
  const stream = {
    streamId: streamUuid,
    specVersion,
    audience: audienceOf({ audience, stream_id: streamUuid }, baseUrl),
  }
  const claims = claimsOf(event, stream, { issuer: baseUrl, jti, issuedAtMs: Date.parse(issuedAt) })
  return signer.sign(claims, issuedAt)
}

type Kept = { streamId: string; id: string; sequence: string; token: string }

async function keep(tx: Tx, events: readonly PendingEvent[], tokens: readonly string[], issuedAt: string) {
  const { rows } = await sql<Kept>`
    with given as materialized (
      select event.organization_id, event.stream_id, event.id, event.sequence, given.token
      from unnest(
        ${events.map(({ organizationId }) => organizationId)}::bigint[], ${events.map(({ streamId }) => streamId)}::bigint[],
        ${events.map(({ id }) => id)}::bigint[], ${tokens}::text[]
      ) as given (organization_id, stream_id, id, token)
      join ssf_stream_events as event using (organization_id, stream_id, id)
    ), numbered as (
      select given.organization_id, given.stream_id, given.id,
        head.last_sequence + row_number() over (partition by given.organization_id, given.stream_id order by given.id) as place
      from given join ssf_stream_deliveries as head using (organization_id, stream_id)
      where given.sequence is null
    ), heads as (
      update ssf_stream_deliveries as head set last_sequence = last.place
      from (select organization_id, stream_id, max(place) as place from numbered group by 1, 2) as last
      where head.organization_id = last.organization_id and head.stream_id = last.stream_id
    )
    update ssf_stream_events as event
    set sequence = coalesce(event.sequence, numbered.place), token = coalesce(event.token, given.token),
      issued_at = coalesce(event.issued_at, ${issuedAt}::timestamptz)
    from given left join numbered using (organization_id, stream_id, id)
    where event.organization_id = given.organization_id and event.stream_id = given.stream_id and event.id = given.id
    returning event.stream_id as "streamId", event.id, event.sequence, event.token
  `.execute(tx)
  return rows
}
