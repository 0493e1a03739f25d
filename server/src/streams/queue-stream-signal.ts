import { sql } from 'kysely'
import type { Tx } from '../db/transact.ts'
import type { SignalKind } from './build-claims.ts'
import { signalChannel } from './queue-signals.ts'

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
  /** Deliverers leave it alone until then: whoever queues it delivers it. */
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
  const { id: eventId, jti } = await tx
    .insertInto('ssf_stream_events')
    .values({
      organization_id: organizationId,
      stream_id: streamId,
      signal_id: signalId,
      kind,
      device_id: deviceId,
      queued_at: now,
      held_until: heldUntil ?? null,
    })
    .returning(['id', 'jti'])
    .executeTakeFirstOrThrow()
  await sql`select pg_notify(${signalChannel}, ${organizationId})`.execute(tx)
  return { eventId, jti }
}
