import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { keyPurposes } from '../../keys/key-purposes.ts'
import { audienceOf } from './audience.ts'
import { claimsOf } from './build-claims.ts'
import type { PendingEvent } from './list-pending.ts'
import { lockHeads } from './number-events.ts'
import { streamIssuer } from './stream-issuer.ts'
import { kidOf } from './token-header.ts'
import type { Signed, TokenSigner } from './token-signer.ts'

/** `baseUrl` is MUSTER_BASE_URL, which the issuers of streams are relative to. */
export type Issuer = { db: Db; signer: TokenSigner; baseUrl: string; clock: Clock }

export type IssuedEvent = PendingEvent & { token: string }

/**
 * The tokens of events: however often one is sent, by whatever process, its bytes are the same. They follow from what
 * was fixed when the event was queued, since RS256 is deterministic (RFC 8017 §8.2). Where the key of then is no longer
 * published, or was not known, the event is signed by the present one. What is no longer there is left out.
 */
export async function issueTokens(issuer: Issuer, events: readonly PendingEvent[]): Promise<IssuedEvent[]> {
  const now = issuer.clock()
  const unfixed = events.filter((event) => event.token === null && !isFixed(event, now))
  const kept = unfixed.length === 0 ? [] : await keepTokens(issuer, unfixed, now)
  const byId = new Map(kept.map((row) => [keyOf(row), row]))
  const known = events.map((event) => ({ ...event, ...byId.get(keyOf(event)) }))
  const issued = await Promise.all(
    known.map(async (event) => (event.token === null && isFixed(event, now) ? derive(issuer, event) : event)),
  )
  return issued.filter(isIssued)
}

type FixedEvent = PendingEvent & { kid: string; issuedAt: string }

/** Receivers verify it by a key that is published, or was so recently that the token may be on its way. */
const isFixed = (event: PendingEvent, now: string): event is FixedEvent =>
  event.kid !== null &&
  event.issuedAt !== null &&
  !event.isKeyGone &&
  (event.keyRetiredAt === null || event.keyRetiredAt > plusMs(now, -keyPurposes.signals.keptMs))

async function derive(issuer: Issuer, event: FixedEvent): Promise<IssuedEvent> {
  const token = await issuer.signer.signAgain(event, () => claimsOfEvent(issuer, event, event.issuedAt))
  return { ...event, token }
}

/**
 * Signs by the present key, and keeps the tokens before anyone is given one. Of two processes that do so for one event,
 * both get the token that was kept first.
 */
async function keepTokens(issuer: Issuer, events: readonly PendingEvent[], now: string): Promise<Kept[]> {
  const kept = await signAndKeep(issuer, events, now)
  const left = kept.length < events.length ? await forgetWithdrawn(issuer, events, kept) : []
  if (left.length > 0) kept.push(...(await signAndKeep(issuer, left, now)))
  return kept
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
  for (const event of left) signer.forget({ organizationId: event.organizationId, purpose: 'signals' })
  return left.map((event) => ({ ...event, token: null }))
}

const isIssued = (event: PendingEvent): event is IssuedEvent => event.token !== null
const keyOf = ({ streamId, id }: { streamId: string; id: string }): string => `${streamId}/${id}`

function streamsOf(events: readonly PendingEvent[]) {
  const streams = events.map(({ organizationId, streamId }) => ({ organizationId, streamId }))
  return [...new Map(streams.map((stream) => [stream.streamId, stream])).values()]
}

async function sign(issuer: Issuer, event: PendingEvent, now: string): Promise<Signed> {
  if (event.token !== null) return { token: event.token, kid: kidOf(event.token) }
  const { organizationId, issuedAt } = event
  // One that is signed again says what it said before.
  return issuer.signer.sign({ organizationId, purpose: 'signals' }, claimsOfEvent(issuer, event, issuedAt ?? now), now)
}

/** What the token of an event says. */
function claimsOfEvent({ baseUrl: common }: Pick<Issuer, 'baseUrl'>, event: PendingEvent, issuedAt: string) {
  const { streamUuid, specVersion, deviceSubjectFormat, audience, jti } = event
  const { issuer, baseUrl } = streamIssuer(event.issuer, common)
  const stream = {
    streamId: streamUuid,
    specVersion,
    deviceSubjectFormat,
    audience: audienceOf({ audience, stream_id: streamUuid }, baseUrl),
  }
  return claimsOf(event, stream, { issuer, jti, issuedAtMs: Date.parse(issuedAt) })
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
      issued_at = coalesce(event.issued_at, case when event.token_settings_id is not null then event.queued_at end,
        ${issuedAt}::timestamptz)
    from given left join numbered using (organization_id, stream_id, id)
    where event.organization_id = given.organization_id and event.stream_id = given.stream_id and event.id = given.id
    returning event.stream_id as "streamId", event.id, event.sequence, event.token, event.issued_at as "issuedAt"
  `.execute(tx)
  return rows
}
