import { sql } from 'kysely'
import type { Db } from '../../../base/db/transact.ts'
import { type Leases, leasesOn, type WorkKey } from '../../../base/jobs/leases.ts'

/** A push stream that this process alone delivers, and how its receiver stood at the last delivery. */
export type LeasedStream = WorkKey & {
  heldUntil: string | null
  failures: number
  failingSince: string | null
  lastError: string | null
}

/** Leases of streams that have something to deliver; those that stand still have only news of themselves. */
export const streamLeases = (db: Db): Leases<LeasedStream> =>
  leasesOn(db, {
    table: sql.table('ssf_stream_deliveries'),
    idColumn: 'stream_id',
    isDue: sql`exists (
      select from ssf_streams as stream join ssf_stream_events as event
        on event.organization_id = stream.organization_id and event.stream_id = stream.id
      where stream.organization_id = head.organization_id and stream.id = head.stream_id
        and stream.delivery_type = 'push' and stream.deleted_at is null
        and event.state = 'pending' and (stream.status = 'enabled' or event.device_id is null)
    )`,
    columns: sql`, head.held_until as "heldUntil", head.failures, head.failing_since as "failingSince",
      head.last_error as "lastError"`,
  })

/** Where and how a stream is delivered. */
export type ReceiverRow = WorkKey & {
  url: string
  sealedAuthorization: Buffer | null
  /** When the stream was changed, or its tokens signed again. */
  updatedAt: string
}

/** Those of the streams that are pushed. */
export async function listReceivers(db: Db, streams: readonly WorkKey[]): Promise<ReceiverRow[]> {
  const { rows } = await sql<ReceiverRow>`
    select stream.organization_id as "organizationId", stream.id, stream.endpoint_url as url,
      stream.sealed_authorization_header as "sealedAuthorization", greatest(stream.updated_at, stream.resigned_at) as "updatedAt"
    from unnest(
      ${streams.map(({ organizationId }) => organizationId)}::bigint[], ${streams.map(({ id }) => id)}::bigint[]
    ) as asked (organization_id, id)
    join ssf_streams as stream using (organization_id, id)
    where stream.delivery_type = 'push' and stream.deleted_at is null
  `.execute(db)
  return rows
}
