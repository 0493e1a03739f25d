-- Deleted streams are gone at once for everybody; their events are removed later, in batches.
alter table ssf_streams add column deleted_at timestamptz(3);

-- Signals outlive the events that refer to them, so nothing has to be checked for each of a thousand rows of a change.
alter table ssf_stream_events drop constraint ssf_stream_events_signal_fkey;
drop index ssf_stream_events_by_signal;

-- In the order of delivery: what has a number first, then what is yet to be numbered.
drop index ssf_stream_events_unnumbered;
drop index ssf_stream_events_pending;
create index ssf_stream_events_pending on ssf_stream_events (organization_id, stream_id, sequence, id) where state = 'pending';

-- News of the stream itself, which reach it also while what is about devices waits.
create index ssf_stream_events_pending_own on ssf_stream_events (organization_id, stream_id, id) where state = 'pending' and device_id is null;

drop index ssf_stream_events_queued_at;
create index ssf_stream_events_by_time on ssf_stream_events (organization_id, stream_id, queued_at, id);

-- Rows pass through "pending" quickly, and what they leave behind in the index slows its next readers.
alter table ssf_stream_events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
