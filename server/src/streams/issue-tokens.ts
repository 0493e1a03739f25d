import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { type Db, type Tx, transact } from '../db/transact.ts'
import { audienceOf } from './audience.ts'
import { claimsOf } from './build-claims.ts'
import type { PendingEvent } from './list-pending.ts'
import { lockHeads } from './number-events.ts'
import { streamIssuer } from './stream-issuer.ts'
import { kidOf } from './token-header.ts'
import type { Signed, TokenSigner } from './token-signer.ts'

/** `baseUrl` is MUSTER_BASE_URL, which the issuers of streams are relative to. */
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
  const kept = await signAndKeep(issuer, fresh, issuedAt)
  const left = kept.length < fresh.length ? await forgetWithdrawn(issuer, fresh, kept) : []
  if (left.length > 0) kept.push(...(await signAndKeep(issuer, left, issuedAt)))
  const byId = new Map(kept.map((row) => [keyOf(row), row]))
  return events.map((event) => ({ ...event, ...byId.get(keyOf(event)) })).filter(isIssued)
}

async function signAndKeep(issuer: Issuer, events: readonly PendingEvent[], issuedAt: string): Promise<Kept[]> {
  const tokens = await Promise.all(events.map((event) => sign(issuer, event, issuedAt)))
  return transact(issuer.db, async (tx) => {
    const locked = await lockHeads(tx, streamsOf(events))
    return locked.length === 0 ? [] : keep(tx, events, tokens, issuedAt)
  })
}

/** What was not kept is gone, or was signed with a key that was withdrawn meanwhile: this process holds it no more. */
async function forgetWithdrawn({ signer }: Issuer, fresh: readonly PendingEvent[], kept: readonly Kept[]) {
  const ids = new Set(kept.map(keyOf))
  const left = fresh.filter((event) => !ids.has(keyOf(event)))
  for (const event of left) signer.forget({ organizationId: event.organizationId, purpose: event.signingPurpose })
  return left.map((event) => ({ ...event, token: null }))
}

const isIssued = (event: PendingEvent): event is IssuedEvent => event.token !== null && event.sequence !== null
const keyOf = ({ streamId, id }: { streamId: string; id: string }): string => `${streamId}/${id}`

function streamsOf(events: readonly PendingEvent[]) {
  const streams = events.map(({ organizationId, streamId }) => ({ organizationId, streamId }))
  return [...new Map(streams.map((stream) => [stream.streamId, stream])).values()]
}

async function sign({ signer, ...common }: Issuer, event: PendingEvent, now: string): Promise<Signed> {
  if (event.token !== null) return { token: event.token, kid: kidOf(event.token) }
  const { organizationId, streamUuid, specVersion, deviceSubjectFormat, audience, jti, issuedAt } = event
  const { signingPurpose: purpose } = event
  const { issuer, baseUrl } = streamIssuer(event.issuer, common.baseUrl)
  const stream = {
    streamId: streamUuid,
    specVersion,
    deviceSubjectFormat,
    audience: audienceOf({ audience, stream_id: streamUuid }, baseUrl),
  }
  // One that is signed anew says what it said before.
  const claims = claimsOf(event, stream, { issuer, jti, issuedAtMs: Date.parse(issuedAt ?? now) })
  return signer.sign({ organizationId, purpose }, claims, now)
}

type Kept = { streamId: string; id: string; sequence: string; token: string; issuedAt: string }

async function keep(tx: Tx, events: readonly PendingEvent[], tokens: readonly Signed[], issuedAt: string) {
  const { rows } = await sql<Kept>`
    with withdrawn as materialized (
      select kid from signing_keys
      where kid = any(${[...new Set(tokens.map(({ kid }) => kid))]}::text[]) and withdrawn_at is not null
    ), given as materialized (
      select event.organization_id, event.stream_id, event.id, event.sequence, given.token
      from unnest(
        ${events.map(({ organizationId }) => organizationId)}::bigint[], ${events.map(({ streamId }) => streamId)}::bigint[],
        ${events.map(({ id }) => id)}::bigint[], ${tokens.map(({ token }) => token)}::text[],
        ${tokens.map(({ kid }) => kid)}::text[]
      ) as given (organization_id, stream_id, id, token, kid)
      join ssf_stream_events as event using (organization_id, stream_id, id)
      where given.kid not in (select kid from withdrawn)
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
    returning event.stream_id as "streamId", event.id, event.sequence, event.token, event.issued_at as "issuedAt"
  `.execute(tx)
  return rows
}
