-- When receivers that poll acknowledged an event last was kept with the event only.
update ssf_stream_deliveries as head set last_delivered_at = acknowledged.at
from (
  select organization_id, stream_id, max(settled_at) as at from ssf_stream_events
  where state = 'acknowledged' group by organization_id, stream_id
) as acknowledged
where acknowledged.organization_id = head.organization_id and acknowledged.stream_id = head.stream_id
  and (head.last_delivered_at is null or head.last_delivered_at < acknowledged.at);
