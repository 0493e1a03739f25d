import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Db } from '../../../base/db/transact.ts'
import { dayMs, hourMs } from '../../../base/time.ts'
import { dropDeliveriesOf, dropOldDeliveries } from '../../webhook-ledger/retention/drop-deliveries.ts'
import { failStaleDeliveries } from '../../webhook-ledger/retention/fail-stale-deliveries.ts'

/** Longer than all attempts take: whatever waits for so long waits for a disabled endpoint. */
const waitsMs = 30 * dayMs
/** No transaction that saw the endpoint before its deletion is still open after it. */
const deletedKeptMs = hourMs

const before = (now: string, ms: number): string => new Date(Date.parse(now) - ms).toISOString()

/** Gives up what has waited for too long and removes what is kept no longer. */
export async function runWebhookRetention(db: Db, now: string): Promise<void> {
  await failStaleDeliveries(db, before(now, waitsMs), 'It waited for 30 days', now)
  await dropOldDeliveries(db, now)
  await forgetPreviousSecrets(db, now)
  await dropDeletedEndpoints(db, before(now, deletedKeptMs))
}

/** Removes secrets that sign no more. */
async function forgetPreviousSecrets(db: Db, now: string): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ sealed_previous_secret: null, previous_secret_until: null })
    .where('previous_secret_until', '<=', sql<string>`${now}::timestamptz`)
    .execute()
}

/** Removes endpoints that were deleted before a moment, with their logs; returns how many. */
async function dropDeletedEndpoints(db: Db, deletedBefore: string): Promise<number> {
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
