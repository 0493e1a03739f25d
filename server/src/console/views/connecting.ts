import type { FirstSteps } from '@muster/contract/console-views.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { count, enforcingConnections, failing, hearingStreams, hearingWebhooks } from './receiver-counts.ts'

/**
 * Whether what is connected works: a sign-in through a connection that enforces, or a delivery to what hears of a block, within a
 * week. Set up alone is not it.
 */
export async function readConnecting(
  reader: Reader,
  organizationId: string,
  now: string,
): Promise<FirstSteps['connecting']> {
  const since = plusMs(now, -7 * dayMs)
  const delivered = sql<number>`(count(*) filter (
    where standing.failing_since is null and standing.last_delivered_at > ${since}::timestamptz))::int`.as('delivered')
  const [all, enforcing, signedIn, streams, webhooks] = await Promise.all([
    reader
      .selectFrom('signin_connections')
      .select(count)
      .where(inOrganization('signin_connections', organizationId))
      .executeTakeFirstOrThrow(),
    enforcingConnections(reader, organizationId, now).select(count).executeTakeFirstOrThrow(),
    reader
      .selectFrom('auth_logs')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('started_at', '>', since)
      .where('result', '=', 'Success')
      .where('connection_id', 'in', enforcingConnections(reader, organizationId, now).select('id'))
      .limit(1)
      .executeTakeFirst(),
    hearingStreams(reader, organizationId).select([count, failing, delivered]).executeTakeFirstOrThrow(),
    hearingWebhooks(reader, organizationId).select([count, failing, delivered]).executeTakeFirstOrThrow(),
  ])
  if (signedIn || streams.delivered + webhooks.delivered > 0) return 'works'
  if (streams.failing > 0) return 'failing_stream'
  if (webhooks.failing > 0) return 'failing_webhook'
  if (enforcing.count + streams.count + webhooks.count > 0) return 'unused'
  return all.count > 0 ? 'not_enforcing' : 'nothing'
}
