import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { complianceChangeType } from '../../signals/streams/event-types.ts'

const count = sql<number>`count(*)::int`.as('count')

/** Who hears when a device is blocked. */
export async function countReceivers(reader: Reader, organizationId: string) {
  const [streams, webhooks] = await Promise.all([
    reader
      .selectFrom('ssf_streams')
      .select(count)
      .where(inOrganization('ssf_streams', organizationId))
      .where('status', '=', 'enabled')
      .where(sql<boolean>`${complianceChangeType}::text = any(events_requested)`)
      .executeTakeFirstOrThrow(),
    reader
      .selectFrom('webhook_endpoints')
      .select(count)
      .where(inOrganization('webhook_endpoints', organizationId))
      .where('disabled_at', 'is', null)
      .where('deleted_at', 'is', null)
      .where(sql<boolean>`'device_trust.status_changed' = any(events)`)
      .executeTakeFirstOrThrow(),
  ])
  return { streams: streams.count, webhooks: webhooks.count }
}
