import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import { type Db, transact } from '../../../base/db/transact.ts'
import type { StreamKey } from '../number-events.ts'

const eventsAtOnce = 2_000

/**
 * Removes streams that were deleted before a moment, their entries first and in batches; returns how many streams.
 * The moment is long enough ago for whatever was queueing for them to have ended.
 */
export async function dropDeletedStreams(db: Db, deletedBefore: string): Promise<number> {
  for (let dropped = 0; ; dropped += 1) {
    const stream = await findDeleted(db, deletedBefore)
    if (!stream) return dropped
    await dropEvents(db, stream)
    await dropStream(db, stream)
  }
}

async function findDeleted(db: Db, deletedBefore: string): Promise<StreamKey | undefined> {
  return db
    .selectFrom('ssf_streams')
    .select(['organization_id as organizationId', 'id as streamId'])
    .where('deleted_at', '<', sql<string>`${deletedBefore}::timestamptz`)
    .limit(1)
    .executeTakeFirst()
}

async function dropEvents(db: Db, { organizationId, streamId }: StreamKey): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from ssf_stream_events
      where organization_id = ${organizationId}::bigint and stream_id = ${streamId}::bigint and id = any(array(
        select id from ssf_stream_events
        where organization_id = ${organizationId}::bigint and stream_id = ${streamId}::bigint
        order by id limit ${eventsAtOnce}
      ))
    `.execute(db)
    if (numAffectedRows < eventsAtOnce) return
  }
}

/** Its head and its tokens go with it, and with the last stream what is kept for receivers in general. */
const dropStream = (db: Db, { organizationId, streamId }: StreamKey) =>
  transact(db, async (tx) => {
    await tx
      .deleteFrom('ssf_streams')
      .where(inOrganization('ssf_streams', organizationId))
      .where('id', '=', streamId)
      .where('deleted_at', 'is not', null)
      .execute()
    await sql`
      delete from ssf_purged_devices where ${inOrganization('ssf_purged_devices', organizationId)}
        and not exists (select from ssf_streams where ${inOrganization('ssf_streams', organizationId)})
    `.execute(tx)
  })
