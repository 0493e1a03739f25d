-- Of one message: to know what waits already or was delivered since, and whether anything still refers to it.
create index webhook_deliveries_by_message on webhook_deliveries (organization_id, message_id, endpoint_id, id);
create index webhook_deliveries_by_device on webhook_deliveries (organization_id, endpoint_id, device_id, id) where device_id is not null;
create index webhook_deliveries_by_status on webhook_deliveries (organization_id, endpoint_id, last_status, id);
