import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { SignalKind } from './build-claims.ts'
import { signalChannel } from './queue-signals.ts'
import { signingKidAt } from './token-settings.ts'

export type StreamSignal = {
  organizationId: string
  /** The `id` of the stream. */
  streamId: string
  kind: Exclude<SignalKind, 'compliance_change'>
  /** The members of the event itself. */
  event: Record<string, unknown>
  txn: string
  now: string
  /** Of tests only. */
  deviceId?: string | null
  userEmail?: string | null
  /** Deliverers leave it alone until then: the caller that queues it delivers it. */
  heldUntil?: string
}

/** Queues what is said to one stream only: a verification, a change of its status, a test. */
export async function queueStreamSignal(
  tx: Tx,
  { organizationId, streamId, kind, event, txn, now, deviceId = null, userEmail = null, heldUntil }: StreamSignal,
): Promise<{ eventId: string; jti: string }> {
  const { id: signalId } = await tx
    .insertInto('ssf_signals')
    .values({
      organization_id: organizationId,
      kind,
      device_id: deviceId,
      user_email: userEmail,
      event: JSON.stringify(event),
      txn,
      occurred_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ eventId: string; jti: string }>`
    insert into ssf_stream_events (organization_id, stream_id, signal_id, kind, device_id, queued_at, held_until,
      token_settings_id, kid)
    select organization_id, id, ${signalId}::bigint, ${kind}, ${deviceId}::bigint, ${now}::timestamptz,
      ${heldUntil ?? null}::timestamptz, token_settings_id, ${signingKidAt(sql`${now}::timestamptz`)}
    from ssf_streams
    where ${inOrganization('ssf_streams', organizationId)} and ssf_streams.id = ${streamId}::bigint
    returning id as "eventId", jti
  `.execute(tx)
  await sql`select pg_notify(${signalChannel}, ${organizationId})`.execute(tx)
  const [row] = rows
  if (!row) throw new Error(`There is no stream ${streamId}`)
  return row
}
