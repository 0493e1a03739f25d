-- The kind of its signal, beside the state, so that the few which are no compliance changes are found among many.
alter table ssf_stream_events add column kind text not null default 'compliance_change'
  constraint ssf_stream_events_kind_check check (kind in ('compliance_change', 'verification', 'stream_updated', 'test'));
update ssf_stream_events as event set kind = signal.kind
from ssf_signals as signal
where signal.organization_id = event.organization_id and signal.id = event.signal_id and signal.kind <> 'compliance_change';
create index ssf_stream_events_by_kind on ssf_stream_events (organization_id, stream_id, kind, id) where kind <> 'compliance_change';
