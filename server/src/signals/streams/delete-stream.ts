import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../audit/record-audit.ts'
import { notifyStreams } from './notify-streams.ts'
import { lockStream } from './queries.ts'

type Deletion = {
  organizationId: string
  /** `id` or `stream_id`. */
  reference: string
  actor: Actor
  now: string
}

/** From here on there is no such stream for anyone. Its rows are removed later, in batches. */
export async function deleteStream(tx: Tx, { organizationId, reference, actor, now }: Deletion) {
  const stream = orNotFound(await lockStream(tx, organizationId, reference))
  await tx
    .updateTable('ssf_streams')
    .set({ deleted_at: now, updated_at: now })
    .where(inOrganization('ssf_streams', organizationId))
    .where('id', '=', stream.id)
    .execute()
  await notifyStreams(tx, organizationId)
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { stream: stream.id },
    description: `Deleted the stream "${stream.name}".`,
    now,
  })
}
