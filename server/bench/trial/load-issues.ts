/** One issue for every device of the organization, over its checks; some are resolved. */
export const issuesSql = (organizationId: string): string => `
  set statement_timeout = 0;
  insert into issues (organization_id, device_id, check_id, issue_key, issue_value, title, value, detected_at,
    resolved_at, last_rechecked_at)
  select devices.organization_id, devices.id, checks.id, 'path',
    '/Users/' || split_part(lower(devices.name), '''', 1) || '/.ssh/id_' || substr(md5('issue' || devices.id), 1, 12),
    (array['Unencrypted SSH key', 'Screen lock is off', 'Firewall is off', 'Disk is not encrypted', 'System is out of date'])
      [1 + devices.id % 5] || case when devices.id % 1000 = 7 then ' on a shared machine' else '' end,
    jsonb_build_object('KOLIDE_CHECK_STATUS', 'FAIL', 'encrypted', '0'),
    now() - devices.id % 5000 * interval '1 minute',
    case when devices.id % 3 = 0 then now() - devices.id % 1000 * interval '1 minute' end,
    now() - devices.id % 60 * interval '1 minute'
  from devices join (
    select id, row_number() over (order by id) as place, count(*) over () as checks from checks
    where organization_id = ${organizationId}
  ) as checks on checks.place = 1 + devices.id % checks.checks
  where devices.organization_id = ${organizationId}`
