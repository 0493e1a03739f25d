import type { WebhookEvent } from '@muster/contract/webhook-event-summaries.ts'
import type { WebhookData } from '@muster/contract/webhook-events.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { wholeSecond } from '../../base/time.ts'
import { messageIdAt } from './message-id.ts'

/** The channel on which deliverers learn that there is something for an organization's endpoints. */
export const webhookChannel = 'webhooks'

export type WebhookMessage = {
  event: WebhookEvent
  data: WebhookData<WebhookEvent>
  deviceId: string | null
  /** The device whose messages are delivered one after another; null where order means nothing. */
  orderedBy: string | null
  cause: string
  at: string
}

/**
 * Writes what happened, with its whole body, and a delivery for each endpoint that chose the event, in the transaction
 * that makes it true. Nothing is written where nobody listens.
 */
export async function queueWebhooks(
  tx: Tx,
  organizationId: string,
  messages: readonly WebhookMessage[],
): Promise<void> {
  if (messages.length === 0) return
  const given = messages.map(freeze)
  const { numAffectedRows = 0n } = await sql`
    with given as (
      select * from unnest(
        ${given.map(({ messageId }) => messageId)}::text[], ${given.map(({ event }) => event)}::text[],
        ${given.map(({ body }) => body)}::text[], ${given.map(({ deviceId }) => deviceId)}::bigint[],
        ${given.map(({ orderedBy }) => orderedBy)}::bigint[], ${given.map(({ at }) => at)}::timestamptz[]
      ) with ordinality as given (message_id, event, body, device_id, ordered_by, occurred_at, position)
    ), endpoint as materialized (
      select webhook_endpoints.organization_id, webhook_endpoints.id, webhook_endpoints.events from webhook_endpoints
      where ${inOrganization('webhook_endpoints', organizationId)}
        and webhook_endpoints.disabled_at is null and webhook_endpoints.deleted_at is null
    ), message as (
      insert into webhook_messages (organization_id, message_id, event, body, device_id, occurred_at)
      select ${organizationId}::bigint, message_id, event, body, device_id, occurred_at from given
      where exists (select from endpoint where given.event = any(endpoint.events))
      order by position
      returning id, message_id
    )
    insert into webhook_deliveries
      (organization_id, endpoint_id, message_id, event, device_id, ordered_by, next_attempt_at, queued_at)
    select endpoint.organization_id, endpoint.id, message.id, given.event, given.device_id, given.ordered_by,
      given.occurred_at, given.occurred_at
    from message join given using (message_id) join endpoint on given.event = any(endpoint.events)
    order by message.id, endpoint.id
  `.execute(tx)
  if (numAffectedRows > 0n) await notify(tx, organizationId)
}

type ForEndpoint = { organizationId: string; endpointId: string; message: WebhookMessage }

/** The same for one endpoint, whatever it chose; returns the delivery's identifier. */
export async function queueForEndpoint(tx: Tx, { organizationId, endpointId, message }: ForEndpoint): Promise<string> {
  const { messageId, event, body, deviceId, at } = freeze(message)
  const { id: message_id } = await tx
    .insertInto('webhook_messages')
    .values({
      organization_id: organizationId,
      message_id: messageId,
      event,
      body,
      device_id: deviceId,
      occurred_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id } = await tx
    .insertInto('webhook_deliveries')
    .values({
      ...{ organization_id: organizationId, endpoint_id: endpointId, message_id, event, device_id: deviceId },
      ...{ next_attempt_at: at, queued_at: at },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notify(tx, organizationId)
  return id
}

/** Tells deliverers, once the transaction commits, that something waits for an endpoint of the organization. */
export const notify = (tx: Tx, organizationId: string) =>
  sql`select pg_notify(${webhookChannel}, ${organizationId})`.execute(tx)

/** The body is what it is from now on, however things change before it is sent. */
function freeze({ event, data, deviceId, orderedBy, cause, at }: WebhookMessage) {
  const messageId = messageIdAt(at)
  return {
    messageId,
    event,
    body: JSON.stringify({ event, id: messageId, timestamp: wholeSecond(at), cause, data }),
    deviceId,
    orderedBy,
    at,
  }
}

/** Which of `events` some endpoint chose, and the address that links begin with. */
export async function readListening(tx: Tx, organizationId: string, events: readonly WebhookEvent[]) {
  const { rows } = await sql<{ baseUrl: string | null; events: WebhookEvent[] | null }>`
    select coalesce(
      (select base_url from organizations where id = ${organizationId}::bigint),
      (select base_url from installation)
    ) as "baseUrl", array(
      select distinct chosen from webhook_endpoints, unnest(webhook_endpoints.events) as chosen
      where ${inOrganization('webhook_endpoints', organizationId)}
        and webhook_endpoints.disabled_at is null and webhook_endpoints.deleted_at is null
        and chosen = any(${events}::text[])
    ) as events
  `.execute(tx)
  return { baseUrl: rows[0]?.baseUrl ?? '', events: new Set(rows[0]?.events) }
}
