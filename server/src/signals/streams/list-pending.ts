import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import type { SignalKind } from './build-claims.ts'
import type { StreamKey } from './number-events.ts'

/** What is wanted of one stream. */
export type Wanted = {
  organizationId: string
  streamId: string
  limit: number
  /** Events that the caller holds already. */
  except: readonly string[]
  /** Devices whose events wait. */
  exceptDevices: readonly string[]
}

/** An event that waits for its delivery, with all that its token says. */
export type PendingEvent = {
  organizationId: string
  streamId: string
  id: string
  jti: string
  deviceId: string | null
  sequence: string | null
  /** Null where it follows from the rest. */
  token: string | null
  /** The key that signed at the moment of queueing. */
  kid: string | null
  /** Whether that key was withdrawn, or is not there. */
  isKeyGone: boolean
  keyRetiredAt: string | null
  attempts: number
  heldUntil: string | null
  queuedAt: string
  kind: SignalKind
  event: Record<string, unknown>
  userEmail: string | null
  txn: string
  streamUuid: string
  specVersion: 'v1_0' | 'draft'
  deviceSubjectFormat: 'iss_sub' | 'opaque'
  audience: string | null
  /** When it is said to be signed; null where nothing says so yet. */
  issuedAt: string | null
  /** As `streamIssuer` takes it: that of the moment of queueing. */
  issuer: string
}

/** What a token says, of `event` and its `stream`. */
const saidOf = sql`
  event.organization_id as "organizationId", event.stream_id as "streamId", event.id, event.jti,
  event.device_id as "deviceId", event.sequence, event.token, event.attempts, event.held_until as "heldUntil",
  event.queued_at as "queuedAt", signal.kind, signal.event, signal.user_email as "userEmail", signal.txn,
  stream.stream_id as "streamUuid", coalesce(settings.spec_version, stream.spec_version) as "specVersion",
  coalesce(settings.audience, stream.audience) as audience,
  coalesce(settings.device_subject_format, stream.device_subject_format) as "deviceSubjectFormat",
  coalesce(event.issued_at, case when settings.id is not null then event.queued_at end) as "issuedAt",
  coalesce(settings.issuer, stream.issuer) as issuer`

const joinSaid = sql`
  join ssf_signals as signal on signal.organization_id = event.organization_id and signal.id = event.signal_id
  left join ssf_token_settings as settings on settings.organization_id = event.organization_id
    and settings.stream_id = event.stream_id and settings.id = event.token_settings_id`

const keyOf = sql`event.kid, key.kid is null or key.withdrawn_at is not null as "isKeyGone", key.retired_at as "keyRetiredAt"`

/** Looked up for each row: a join reads all keys. */
const joinKey = sql`
  left join lateral (
    select kid, retired_at, withdrawn_at from signing_keys
    where organization_id = event.organization_id and kid = event.kid
    limit 1
  ) as key on true`

/** One event of a stream, whether it waits or not. */
export async function findEvent(db: Db, { organizationId, streamId }: StreamKey, eventId: string) {
  const { rows } = await sql<PendingEvent>`
    select ${saidOf}, ${keyOf}
    from ssf_stream_events as event
    join ssf_streams as stream on stream.organization_id = event.organization_id and stream.id = event.stream_id
    ${joinSaid} ${joinKey}
    where event.organization_id = ${organizationId}::bigint and event.stream_id = ${streamId}::bigint
      and event.id = ${eventId}::bigint
  `.execute(db)
  return rows[0]
}

/**
 * The next events of several streams, those of a device in their order. Of streams that are paused or off only news
 * of the stream itself (SSF 1.0 §8.1.5).
 */
export async function listPending(db: Db, wanted: readonly Wanted[]): Promise<PendingEvent[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql<PendingEvent>`
    select ${saidOf}, ${keyOf}
    from (
      select organization_id, stream_id, most, string_to_array(held, ',')::bigint[] as held,
        string_to_array(held_devices, ',')::bigint[] as held_devices
      from unnest(
        ${wanted.map(({ organizationId }) => organizationId)}::bigint[], ${wanted.map(({ streamId }) => streamId)}::bigint[],
        ${wanted.map(({ limit }) => limit)}::integer[], ${wanted.map(({ except }) => except.join(','))}::text[],
        ${wanted.map(({ exceptDevices }) => exceptDevices.join(','))}::text[]
      ) as asked (organization_id, stream_id, most, held, held_devices)
      -- Or the texts would be taken apart for every row that is looked at.
      offset 0
    ) as wanted
    join ssf_streams as stream
      on stream.organization_id = wanted.organization_id and stream.id = wanted.stream_id and stream.deleted_at is null
    cross join lateral (
      (
        select * from ssf_stream_events as waiting
        where stream.status = 'enabled' and waiting.state = 'pending'
          and waiting.organization_id = wanted.organization_id and waiting.stream_id = wanted.stream_id
          and waiting.id <> all(wanted.held)
          and (waiting.device_id is null or waiting.device_id <> all(wanted.held_devices))
        order by waiting.id
        limit wanted.most
      )
      union all
      (
        select * from ssf_stream_events as own
        where stream.status <> 'enabled' and own.state = 'pending' and own.device_id is null
          and own.organization_id = wanted.organization_id and own.stream_id = wanted.stream_id
          and own.id <> all(wanted.held)
        order by own.id
        limit wanted.most
      )
    ) as event
    ${joinSaid} ${joinKey}
    where stream.status = 'enabled' or signal.kind = 'stream_updated'
    order by event.organization_id, event.stream_id, event.id
  `.execute(db)
  return rows
}
