import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Db } from '../../../base/db/transact.ts'
import { dropDeliveriesOf } from '../../webhook-ledger/retention/drop-deliveries.ts'

/** Removes endpoints that were deleted before a moment, with their logs; returns how many. */
export async function dropDeletedEndpoints(db: Db, deletedBefore: string): Promise<number> {
  for (let dropped = 0; ; dropped += 1) {
    const endpoint = await db
      .selectFrom('webhook_endpoints')
      .select(['organization_id as organizationId', 'id as endpointId'])
      .where('deleted_at', '<', sql<string>`${deletedBefore}::timestamptz`)
      .limit(1)
      .executeTakeFirst()
    if (!endpoint) return dropped
    await dropDeliveriesOf(db, endpoint)
    await db
      .deleteFrom('webhook_endpoints')
      .where(inOrganization('webhook_endpoints', endpoint.organizationId))
      .where('id', '=', endpoint.endpointId)
      .where('deleted_at', 'is not', null)
      .execute()
  }
}
