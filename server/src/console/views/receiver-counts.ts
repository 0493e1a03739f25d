import type { BlockReceivers } from '@muster/contract/block-receivers.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { complianceChangeType } from '../../signals/streams/event-types.ts'

export const count = sql<number>`count(*)::int`.as('count')
export const failing = sql<number>`(count(*) filter (where standing.failing_since is not null))::int`.as('failing')

/** Connections that refuse a blocked device: one that only observes, or is paused, refuses nobody. */
export const enforcingConnections = (reader: Reader, organizationId: string, now: string) =>
  reader
    .selectFrom('signin_connections')
    .where(inOrganization('signin_connections', organizationId))
    .where('mode', '=', 'enforce')
    .where((build) => build.or([build('paused_until', 'is', null), build('paused_until', '<=', now)]))

/** Streams that hear of a device that is blocked, with how they stand. */
export const hearingStreams = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('ssf_streams')
    .leftJoin('ssf_stream_deliveries as standing', (join) =>
      join
        .onRef('standing.organization_id', '=', 'ssf_streams.organization_id')
        .onRef('standing.stream_id', '=', 'ssf_streams.id'),
    )
    .where(inOrganization('ssf_streams', organizationId))
    .where('status', '=', 'enabled')
    .where(sql<boolean>`${complianceChangeType}::text = any(events_requested)`)

/** Webhook endpoints that hear of it, with how they stand. */
export const hearingWebhooks = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('webhook_endpoints')
    .leftJoin('webhook_standings as standing', (join) =>
      join
        .onRef('standing.organization_id', '=', 'webhook_endpoints.organization_id')
        .onRef('standing.endpoint_id', '=', 'webhook_endpoints.id'),
    )
    .where(inOrganization('webhook_endpoints', organizationId))
    .where('disabled_at', 'is', null)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`'device_trust.status_changed' = any(events)`)

/** What a block reaches. */
export async function countReceivers(reader: Reader, organizationId: string, now: string): Promise<BlockReceivers> {
  const [connections, streams, webhooks] = await Promise.all([
    enforcingConnections(reader, organizationId, now).select(count).executeTakeFirstOrThrow(),
    hearingStreams(reader, organizationId).select([count, failing]).executeTakeFirstOrThrow(),
    hearingWebhooks(reader, organizationId).select([count, failing]).executeTakeFirstOrThrow(),
  ])
  return {
    ...{ connections: connections.count, streams: streams.count, webhooks: webhooks.count },
    failing: streams.failing + webhooks.failing,
  }
}
