-- Health finds out by writing whether the database takes writes. Emptied each time, so that a write always needs new room on
-- the disk; unlogged and stored as it is, so that it costs four pages and next to no write-ahead log.
create unlogged table write_probes (
  filler text not null
);
alter table write_probes alter column filler set storage plain;
