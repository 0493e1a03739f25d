import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { changesBetween } from '../audit/changes.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { notifyStreams } from './notify-streams.ts'
import { lockStream, type Stream } from './queries.ts'
import { queueStreamSignal } from './queue-stream-signal.ts'

export type StreamStatusChange = {
  /** `id` or `stream_id`. */
  streamId: string
  status: 'enabled' | 'paused' | 'disabled'
  reason: string | null
  /** What its receiver asked for itself is not told to it. */
  by: 'receiver' | 'admin' | 'service'
}

const verbs = { enabled: 'Enabled', paused: 'Paused', disabled: 'Disabled' } as const

/** Turns a stream on or off, and tells the receiver unless it asked for that. An unchanged status writes nothing. */
export async function setStreamStatus(tx: Tx, change: StreamStatusChange, context: ChangeContext): Promise<Stream> {
  const { organizationId, now } = context
  const { status, reason, by } = change
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
    const signal = { organizationId, streamId: stream.id, event, txn: context.cause, now }
    await queueStreamSignal(tx, { ...signal, kind: 'stream_updated' })
  }
  await notifyStreams(tx, organizationId)
  const changes = changesBetween(stream, changed, ['status', 'status_reason'])
  const description = `${verbs[status]} the stream "${stream.name}"${reason === null ? '' : `: "${reason}"`}.`
  await recordAudit(
    tx,
    { action: 'stream.status_changed', about: { stream: stream.id }, description, changes },
    context,
  )
  return { ...stream, ...changed }
}
