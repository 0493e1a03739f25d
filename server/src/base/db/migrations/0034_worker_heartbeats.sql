-- One row for each process that works in the background. No index but the key, so that a heartbeat is a HOT update.
create table worker_heartbeats (
  worker_id uuid not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  constraint worker_heartbeats_pkey primary key (worker_id)
) with (fillfactor = 50);
