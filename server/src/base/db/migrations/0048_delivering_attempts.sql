-- The attempt that delivered a webhook, in its delivery's row: most deliveries have one attempt, and a row of its own for it
-- cost as much as the delivery did. Null of what is not delivered, or was delivered before. Its status and error are the
-- last ones of the delivery. Of its request headers those are left out that the delivery says as well.
alter table webhook_deliveries
  add column attempted_at timestamptz(3),
  add column request_headers jsonb,
  add column response text,
  add column dns_ms real,
  add column connect_ms real,
  add column tls_ms real,
  add column first_byte_ms real,
  add column total_ms real;

-- All attempts, wherever they are kept; the one without an id is the last.
create view webhook_attempt_log as
  select organization_id, endpoint_id, delivery_id, id, attempted_at, request_headers, status, error, response, dns_ms,
    connect_ms, tls_ms, first_byte_ms, total_ms
  from webhook_attempts
  union all
  select delivery.organization_id, delivery.endpoint_id, delivery.id, null, delivery.attempted_at,
    jsonb_build_object(
      'webhook-id', message.message_id,
      'webhook-timestamp', floor(extract(epoch from delivery.attempted_at))::bigint::text,
      'x-service-webhook-identifier', endpoint.identifier
    ) || delivery.request_headers,
    delivery.last_status, delivery.last_error, delivery.response, delivery.dns_ms, delivery.connect_ms, delivery.tls_ms,
    delivery.first_byte_ms, delivery.total_ms
  from webhook_deliveries as delivery
  join webhook_messages as message
    on message.organization_id = delivery.organization_id and message.id = delivery.message_id
  join webhook_endpoints as endpoint
    on endpoint.organization_id = delivery.organization_id and endpoint.id = delivery.endpoint_id
  where delivery.attempted_at is not null;

-- Searches are for a status, which a delivery that waits for its first attempt does not have.
drop index webhook_deliveries_by_status;
create index webhook_deliveries_by_status on webhook_deliveries (organization_id, endpoint_id, last_status, id)
  where last_status is not null;
