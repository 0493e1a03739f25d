-- When an endpoint that cannot be reached is to be tried again, apart from what is due.
alter table webhook_standings add column probe_at timestamptz(3);
-- Attempts outside the schedule, which do not use it up.
alter table webhook_deliveries add column extra_attempts integer not null default 0;
