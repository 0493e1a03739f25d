import type { BlockReceivers } from '@muster/contract/block-receivers.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { complianceChangeType } from '../../signals/streams/event-types.ts'

const count = sql<number>`count(*)::int`.as('count')

/** What a block reaches. Connections that only observe, and are paused, refuse nobody. */
export async function countReceivers(reader: Reader, organizationId: string, now: string): Promise<BlockReceivers> {
  const [connections, streams, webhooks] = await Promise.all([
    reader
      .selectFrom('signin_connections')
      .select(count)
      .where(inOrganization('signin_connections', organizationId))
      .where('mode', '=', 'enforce')
      .where((build) => build.or([build('paused_until', 'is', null), build('paused_until', '<=', now)]))
      .executeTakeFirstOrThrow(),
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
  return { connections: connections.count, streams: streams.count, webhooks: webhooks.count }
}
