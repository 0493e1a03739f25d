-- The records that an entry is about, as 'device:1042', and part of its hash; null in entries from before, whose hash
-- stays what it was.
alter table audit_logs add column about text[];
create index audit_logs_about on audit_logs using gin (about);
-- What the chart of the dashboard marks.
create index audit_logs_of_checks on audit_logs (organization_id, timestamp)
  where description ~ '^(Updated the configuration of|Added|Deleted) the check "';
