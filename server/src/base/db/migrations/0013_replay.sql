-- An event that waits once more is given the whole time again before it expires.
alter table ssf_stream_events add column replayed_at timestamptz(3);
