import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { notifyStreams } from './notify-streams.ts'
import { lockStream } from './queries.ts'

type Deletion = {
  /** `id` or `stream_id`. */
  reference: string
}

/** From here on there is no such stream for anyone. Its rows are removed later, in batches. */
export async function deleteStream(tx: Tx, { reference }: Deletion, context: ChangeContext) {
  const { organizationId, now } = context
  const stream = orNotFound(await lockStream(tx, organizationId, reference))
  await tx
    .updateTable('ssf_streams')
    .set({ deleted_at: now, updated_at: now })
    .where(inOrganization('ssf_streams', organizationId))
    .where('id', '=', stream.id)
    .execute()
  await notifyStreams(tx, organizationId)
  await recordAudit(
    tx,
    { action: 'stream.deleted', about: { stream: stream.id }, description: `Deleted the stream "${stream.name}".` },
    context,
  )
}
