-- What one request, deadline or answer of a device brought about: the same in the audit log, the events and the tokens. Null in
-- entries from before. The id of the request is as its line in the log has it; null where no request is behind the entry.
alter table audit_logs
  add column cause text,
  add column request_id text;
create index audit_logs_cause on audit_logs (organization_id, cause) where cause is not null;

-- Of the latest change that devices are decided again for, null where that was asked for before causes were kept; and of the
-- changes before it that were not worked through when it came, the oldest first.
alter table check_recomputations
  add column cause text,
  add column request_id text,
  add column earlier_causes text[] not null default '{}';
