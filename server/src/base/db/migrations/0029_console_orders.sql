-- The orders of the console's lists; what has no deadline comes last, whichever way an order runs.
create index devices_by_urgency on devices (
  organization_id,
  (case auth_state when 'blocked' then '-infinity'::timestamptz
    when 'will_block' then coalesce(will_block_at, '9999-01-01 00:00:00+00')
    when 'notified' then '9999-12-31 00:00:00+00' else 'infinity' end),
  id
) where deleted_at is null;
create index devices_by_name on devices (organization_id, lower(name), id) where deleted_at is null;
create index devices_soonest_to_block on devices (organization_id, coalesce(will_block_at, 'infinity'), id) where deleted_at is null;
create index devices_latest_to_block on devices (organization_id, coalesce(will_block_at, '-infinity'), id) where deleted_at is null;
create index issues_open_by_deadline on issues (organization_id, coalesce(blocks_device_at, 'infinity'), id) where resolved_at is null;
