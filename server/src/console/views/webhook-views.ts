import type { DeliveryViewFilter, WebhookView } from '@muster/contract/console-developers.ts'
import { maxCounted } from '@muster/contract/max-counted.ts'
import { sql } from 'kysely'
import type { Db, Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { dayMs } from '../../base/time.ts'
import { fromLog } from '../../signals/webhook-ledger/log/queries.ts'
import { isRepeated, type RepeatRange } from '../../signals/webhook-ledger/log/repeat-deliveries.ts'
import { foundDevices } from './found-devices.ts'

type EndpointKey = { organizationId: string; endpointId: string }

/** What a webhook's page shows beside its record; counts end at `maxCounted`. */
export async function readWebhookView(
  db: Db,
  { organizationId, endpointId }: EndpointKey,
  now: string,
): Promise<WebhookView> {
  const own = sql`organization_id = ${organizationId}::bigint and endpoint_id = ${endpointId}::bigint`
  const since = new Date(Date.parse(now) - dayMs).toISOString()
  const { rows } = await sql<WebhookView>`
    with today as (
      select state from webhook_deliveries
      where ${own} and queued_at >= ${since}::timestamptz limit ${sql.lit(maxCounted)}
    ), pending as (
      select attempts from webhook_deliveries where ${own} and state = 'pending' limit ${sql.lit(maxCounted)}
    ), failed as (
      select from webhook_deliveries where ${own} and state = 'failed' limit ${sql.lit(maxCounted)}
    )
    select
      (select count(*)::int from today where state = 'delivered') as delivered_today,
      (select count(*)::int from today where state = 'failed') as failed_today,
      (select count(*)::int from pending where attempts = 0) as waiting,
      (select count(*)::int from pending where attempts > 0) as retrying,
      (select count(*) >= ${sql.lit(maxCounted)} from pending) as is_more_pending,
      (select count(*)::int from failed) as failed
  `.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('A statement without a from clause has one row')
  return counts
}

const newestFirst: Keyset = { id: { column: 'webhook_deliveries.id', type: 'bigint' }, direction: 'desc' }

/** A page of the log of a webhook, with the names of devices. */
export const listDeliveryViews = (
  reader: Reader,
  { organizationId, params, after, limit }: ListPage<{ readonly endpointId: string }>,
  { state, event, search }: DeliveryViewFilter,
) => {
  const text = search?.trim() ?? ''
  return fromLog(reader, organizationId, params.endpointId)
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'webhook_deliveries.organization_id')
        .onRef('devices.id', '=', 'webhook_deliveries.device_id'),
    )
    .select('devices.name as device_name')
    .$if(state !== undefined, (query) => query.where('webhook_deliveries.state', '=', state ?? 'pending'))
    .$if(event !== undefined, (query) => query.where('webhook_deliveries.event', '=', event ?? ''))
    .$if(text !== '', (query) =>
      query.where(
        sql<boolean>`(webhook_deliveries.message_id = any(array(
            select id from webhook_messages
            where organization_id = ${organizationId}::bigint and message_id = ${text}))
          or webhook_deliveries.device_id = any(${foundDevices(organizationId, text)}))`,
      ),
    )
    .$call(nextRows(newestFirst, after, limit))
    .execute()
}

/** How many messages a call for the range sends again. */
export async function countResend(db: Db, range: RepeatRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from webhook_deliveries as chosen where ${isRepeated(range)} limit ${sql.lit(maxCounted)}
    ) as chosen`.execute(db)
  return rows[0]?.count ?? 0
}
