create view reporting.device_hosts_file with (security_barrier) as
select d.id as device_id, d.name as device_name, s.taken_at,
  r.content ->> 'address' as address,
  r.content ->> 'hostnames' as hostnames
from device_snapshot_rows as r
join devices as d on d.organization_id = r.organization_id and d.id = r.device_id and d.deleted_at is null
left join device_snapshots as s on s.organization_id = r.organization_id and s.device_id = r.device_id
  and s.reporting_table = r.reporting_table
where r.organization_id = reporting.current_organization() and r.reporting_table = 'device_hosts_file';

