import type { WebhookDeliveryDetails, webhookDeliverySearch } from '@muster/contract/webhook-deliveries.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Reader } from '../../../base/db/transact.ts'
import type { Keyset } from '../../../base/lists/keyset.ts'
import type { ListPage } from '../../../base/lists/list-page.ts'
import { onPage } from '../../../base/lists/on-page.ts'
import type { SearchColumns } from '../../../base/lists/where-search.ts'

const searchColumns = {
  id: { column: 'webhook_deliveries.id', type: 'bigint' },
  message_id: { column: 'message.message_id', type: 'text' },
  event: { column: 'webhook_deliveries.event', type: 'text' },
  state: { column: 'webhook_deliveries.state', type: 'text' },
  device_id: { column: 'webhook_deliveries.device_id', type: 'bigint' },
  queued_at: { column: 'webhook_deliveries.queued_at', type: 'timestamptz' },
  last_status: { column: 'webhook_deliveries.last_status', type: 'bigint' },
} satisfies SearchColumns<typeof webhookDeliverySearch>

const newestFirst: Keyset = { id: { column: 'webhook_deliveries.id', type: 'bigint' }, direction: 'desc' }
const maxAttempts = 100

const latestAttempts = sql<WebhookDeliveryDetails['attempts']>`coalesce((
  select jsonb_agg(jsonb_build_object(
    'attempted_at', to_char(attempt.attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'request_headers', attempt.request_headers, 'status', attempt.status, 'error', attempt.error,
    'response', attempt.response, 'timings', jsonb_build_object(
      'dns_ms', attempt.dns_ms, 'connect_ms', attempt.connect_ms, 'tls_ms', attempt.tls_ms,
      'first_byte_ms', attempt.first_byte_ms, 'total_ms', attempt.total_ms)) order by attempt.id desc nulls first)
  from (
    select * from webhook_attempt_log as attempt
    where attempt.organization_id = webhook_deliveries.organization_id
      and attempt.endpoint_id = webhook_deliveries.endpoint_id and attempt.delivery_id = webhook_deliveries.id
    order by attempt.id desc nulls first limit ${sql.lit(maxAttempts)}
  ) as attempt
), '[]')`.as('latest_attempts')

export const fromLog = (reader: Reader, organizationId: string, endpointId: string) =>
  reader
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_endpoints as endpoint', (join) =>
      join
        .onRef('endpoint.organization_id', '=', 'webhook_deliveries.organization_id')
        .onRef('endpoint.id', '=', 'webhook_deliveries.endpoint_id')
        .on('endpoint.deleted_at', 'is', null),
    )
    .innerJoin('webhook_messages as message', (join) =>
      join
        .onRef('message.organization_id', '=', 'webhook_deliveries.organization_id')
        .onRef('message.id', '=', 'webhook_deliveries.message_id'),
    )
    .select([
      'webhook_deliveries.id',
      'webhook_deliveries.event',
      'webhook_deliveries.device_id',
      'webhook_deliveries.state',
      'webhook_deliveries.attempts',
      'webhook_deliveries.extra_attempts',
      'webhook_deliveries.queued_at',
      'webhook_deliveries.settled_at',
      'webhook_deliveries.last_status',
      'webhook_deliveries.last_error',
      'webhook_deliveries.resent_from',
      'message.message_id',
      sql<string | null>`case when webhook_deliveries.state = 'pending' and endpoint.disabled_at is null
        then webhook_deliveries.next_attempt_at end`.as('next_attempt_at'),
    ])
    .where(inOrganization('webhook_deliveries', organizationId))
    .where('webhook_deliveries.endpoint_id', '=', endpointId)

export type DeliveryRow = Awaited<ReturnType<typeof listDeliveries>>[number]

/** A page of the log of an endpoint. */
export const listDeliveries = (reader: Reader, page: ListPage<{ readonly endpointId: string }>) =>
  fromLog(reader, page.organizationId, page.params.endpointId)
    .$call(onPage(page, newestFirst, searchColumns))
    .execute()

export type DeliveryKey = { organizationId: string; endpointId: string; deliveryId: string }

export type DeliveryDetails = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

/** A delivery with its body and the latest attempts, newest first: of one moment, so that their numbers agree. */
export const findDelivery = (reader: Reader, { organizationId, endpointId, deliveryId }: DeliveryKey) =>
  fromLog(reader, organizationId, endpointId)
    .select(['message.body', latestAttempts])
    .where('webhook_deliveries.id', '=', deliveryId)
    .executeTakeFirst()
