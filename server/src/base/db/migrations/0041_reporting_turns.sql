-- Runs that were asked for. An organization has one at a time, and they take turns.
alter table reporting_queries
  add column run_requested_at timestamptz,
  add column run_claimed_at timestamptz,
  add column run_claimed_until timestamptz;
create index reporting_queries_requested on reporting_queries (run_requested_at) where run_requested_at is not null;

-- Their jobs wait in the queue of the version before.
update reporting_queries set run_requested_at = now() where ran_at is null and failed_at is null;
