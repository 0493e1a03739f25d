import { sql } from 'kysely'
import type { Db } from '../../db/transact.ts'
import type { StreamKey } from '../number-events.ts'

/** A push stream that this process alone delivers, and how its receiver stood at the last delivery. */
export type LeasedStream = StreamKey & {
  heldUntil: string | null
  failures: number
  failingSince: string | null
  lastError: string | null
}

/**
 * How long a lease lasts. Another process takes over within this time and one look after the holder has died. Kept by
 * the clock of the database, which all processes share.
 */
export const leaseMs = 6_000
const mostAtOnce = 500

const keysOf = (streams: readonly StreamKey[]) => sql`unnest(
  ${streams.map(({ organizationId }) => organizationId)}::bigint[], ${streams.map(({ streamId }) => streamId)}::bigint[]
) as asked (organization_id, stream_id)`

/**
 * Takes streams that have something to deliver and that nobody delivers: of some organizations, of all, or only those
 * whose holder has died.
 */
export async function claimStreams(
  db: Db,
  holder: string,
  of: readonly string[] | 'all' | 'abandoned',
): Promise<LeasedStream[]> {
  const scope =
    of === 'all'
      ? sql`true`
      : of === 'abandoned'
        ? sql`head.leased_by is not null`
        : sql`head.organization_id = any(${of}::bigint[])`
  const { rows } = await sql<LeasedStream>`
    update ssf_stream_deliveries as head
    set leased_by = ${holder}, leased_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from (
      select head.organization_id, head.stream_id from ssf_stream_deliveries as head
      join ssf_streams as stream on stream.organization_id = head.organization_id and stream.id = head.stream_id
      where ${scope} and (head.leased_until is null or head.leased_until < clock_timestamp())
        and stream.delivery_type = 'push' and stream.deleted_at is null
        and exists (
          select from ssf_stream_events as event
          where event.organization_id = head.organization_id and event.stream_id = head.stream_id
            and event.state = 'pending' and (stream.status = 'enabled' or event.device_id is null)
        )
      limit ${mostAtOnce}
      for no key update of head skip locked
    ) as free
    where head.organization_id = free.organization_id and head.stream_id = free.stream_id
    returning head.organization_id as "organizationId", head.stream_id as "streamId", head.held_until as "heldUntil",
      head.failures, head.failing_since as "failingSince", head.last_error as "lastError"
  `.execute(db)
  return rows
}

/** Lengthens the leases and returns the streams that are still this holder's. */
export async function renewLeases(db: Db, holder: string, streams: readonly StreamKey[]): Promise<StreamKey[]> {
  if (streams.length === 0) return []
  const { rows } = await sql<StreamKey>`
    update ssf_stream_deliveries as head
    set leased_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from ${keysOf(streams)}
    where head.organization_id = asked.organization_id and head.stream_id = asked.stream_id and head.leased_by = ${holder}
    returning head.organization_id as "organizationId", head.stream_id as "streamId"
  `.execute(db)
  return rows
}

export async function releaseStreams(db: Db, holder: string, streams: readonly StreamKey[]): Promise<void> {
  if (streams.length === 0) return
  await sql`
    update ssf_stream_deliveries as head set leased_by = null, leased_until = null
    from ${keysOf(streams)}
    where head.organization_id = asked.organization_id and head.stream_id = asked.stream_id and head.leased_by = ${holder}
  `.execute(db)
}

/** Where and how a stream is delivered. */
export type Receiver = StreamKey & {
  url: string
  sealedAuthorization: Buffer | null
  status: 'enabled' | 'paused' | 'disabled'
  updatedAt: string
}

/** Those of the streams that are pushed at all. */
export async function listReceivers(db: Db, streams: readonly StreamKey[]): Promise<Receiver[]> {
  if (streams.length === 0) return []
  const { rows } = await sql<Receiver>`
    select stream.organization_id as "organizationId", stream.id as "streamId", stream.endpoint_url as url,
      stream.sealed_authorization_header as "sealedAuthorization", stream.status, stream.updated_at as "updatedAt"
    from ${keysOf(streams)}
    join ssf_streams as stream on stream.organization_id = asked.organization_id and stream.id = asked.stream_id
    where stream.delivery_type = 'push' and stream.deleted_at is null
  `.execute(db)
  return rows
}
