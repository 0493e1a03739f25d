import type { WebhookDelivery, WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import type { Links } from '../../../base/links.ts'
import type { DeliveryDetails, DeliveryRow } from '../../webhook-ledger/log/queries.ts'

export const presentDelivery = (row: DeliveryRow, links: Links): WebhookDelivery => ({
  id: row.id,
  message_id: row.message_id,
  event: row.event,
  device: links.device(row.device_id),
  state: row.state,
  attempts_count: row.attempts,
  probes_count: row.extra_attempts,
  last_status: row.last_status,
  last_error: row.last_error,
  queued_at: row.queued_at,
  settled_at: row.settled_at,
  next_attempt_at: row.next_attempt_at,
  resent_from: row.resent_from,
})

export const presentDeliveryDetails = (row: DeliveryDetails, links: Links): WebhookDeliveryDetails => ({
  ...presentDelivery(row, links),
  request_body: row.body,
  attempts: row.latest_attempts,
})
