-- What an entry records, for programs (`api_key.revealed`), and the values before and after. Null in entries from before.
-- `changes`: an array of {field, from, to}.
alter table audit_logs
  add column action text,
  add column changes jsonb;
create index audit_logs_action on audit_logs (organization_id, action, id);
