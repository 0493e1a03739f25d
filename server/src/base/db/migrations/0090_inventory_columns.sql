-- osquery dropped the kind of a Safari extension, and tells which app brings it.
alter view reporting.device_safari_extensions rename column extension_type to path;
create or replace view reporting.device_safari_extensions with (security_barrier) as
select d.id as device_id, d.name as device_name, s.taken_at,
  r.content ->> 'username' as username,
  r.content ->> 'name' as name,
  r.content ->> 'identifier' as identifier,
  r.content ->> 'version' as version,
  r.content ->> 'path' as path
from device_snapshot_rows as r
join devices as d on d.organization_id = r.organization_id and d.id = r.device_id and d.deleted_at is null
left join device_snapshots as s on s.organization_id = r.organization_id and s.device_id = r.device_id
  and s.reporting_table = r.reporting_table
where r.organization_id = reporting.current_organization() and r.reporting_table = 'device_safari_extensions';

-- Names of groups are in the language of Windows, numbers are not.
create or replace view reporting.device_user_groups with (security_barrier) as
select d.id as device_id, d.name as device_name, s.taken_at,
  r.content ->> 'username' as username,
  r.content ->> 'groupname' as groupname,
  reporting.whole_number(r.content ->> 'gid') as gid
from device_snapshot_rows as r
join devices as d on d.organization_id = r.organization_id and d.id = r.device_id and d.deleted_at is null
left join device_snapshots as s on s.organization_id = r.organization_id and s.device_id = r.device_id
  and s.reporting_table = r.reporting_table
where r.organization_id = reporting.current_organization() and r.reporting_table = 'device_user_groups';
