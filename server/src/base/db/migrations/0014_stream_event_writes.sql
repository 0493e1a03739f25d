-- An event is written three times: queued, issued, settled. What is only said at its issue is in no index, so that the
-- second of these touches none of them; deliveries go by id, which orders the events of a device as its number does.
drop index ssf_stream_events_sequence_key;
drop index ssf_stream_events_pending;
create index ssf_stream_events_pending on ssf_stream_events (organization_id, stream_id, id) where state = 'pending';

-- Tokens lie apart, and are not written again with every change of their event. They do not compress.
alter table ssf_stream_events alter column token set storage external;
alter table ssf_stream_events set (toast_tuple_target = 256);

-- Streams are deleted after their events. The check of each of a thousand rows of a change is planned for the number
-- of streams that there were when its session began.
alter table ssf_stream_events drop constraint ssf_stream_events_stream_fkey;
