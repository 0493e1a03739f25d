import { ulid } from 'ulid'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../audit/record-audit.ts'
import { notifyStreams } from './notify-streams.ts'
import { lockStream, type Stream } from './queries.ts'
import { queueStreamSignal } from './queue-stream-signal.ts'

export type StreamStatusChange = {
  organizationId: string
  /** `id` or `stream_id`. */
  streamId: string
  status: 'enabled' | 'paused' | 'disabled'
  reason: string | null
  /** What its receiver asked for itself is not told to it. */
  by: 'receiver' | 'admin' | 'service'
  actor: Actor
  now: string
}

const verbs = { enabled: 'Enabled', paused: 'Paused', disabled: 'Disabled' } as const

/** Turns a stream on or off, and tells the receiver unless it asked for that. An unchanged status writes nothing. */
export async function setStreamStatus(tx: Tx, change: StreamStatusChange): Promise<Stream> {
  const { organizationId, status, reason, by, actor, now } = change
  const stream = orNotFound(await lockStream(tx, organizationId, change.streamId))
  if (stream.status === status && stream.status_reason === reason) return stream
  const changed = { status, status_reason: reason, updated_at: now }
  await tx
    .updateTable('ssf_streams')
    .set(changed)
    .where(inOrganization('ssf_streams', organizationId))
    .where('id', '=', stream.id)
    .execute()
  if (by !== 'receiver' && stream.status !== status) {
    const event = { status, ...(reason !== null && { reason }) }
    const signal = { organizationId, streamId: stream.id, event, txn: ulid(), now }
    await queueStreamSignal(tx, { ...signal, kind: 'stream_updated' })
  }
  await notifyStreams(tx, organizationId)
  const description = `${verbs[status]} the stream "${stream.name}"${reason === null ? '' : `: "${reason}"`}.`
  await recordAudit(tx, { organizationId, actor, about: { stream: stream.id }, description, now })
  return { ...stream, ...changed }
}
