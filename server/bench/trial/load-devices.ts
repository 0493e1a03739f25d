/** So many devices of one organization, registered to people, with a last contact: as an established fleet looks. */
export const devicesSql = (organizationId: string, count: number): string => `
  set statement_timeout = 0;
  insert into people (organization_id, name, email, usernames, created_at)
  select ${organizationId}, 'Person ' || n, 'person' || n || '@bench.example', array['person' || n], now()
  from generate_series(1, ${Math.max(1, Math.ceil(count / 2))}) as n;

  insert into devices (organization_id, name, device_type, form_factor, operating_system, hardware_model, serial,
    hardware_uuid, note, registered_owner_id, registered_at, last_authenticated_at, auth_state, created_at, enrolled_at)
  select ${organizationId},
    (array['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Tim', 'Margaret'])[1 + n % 8] || '''s '
      || (array['MacBook Pro', 'ThinkPad X1', 'Surface Laptop', 'MacBook Air', 'Latitude 7440'])[1 + n % 5] || ' ' || n,
    (array['Mac', 'Windows', 'Linux'])[1 + n % 3], 'computer',
    (array['macOS 15.1', 'Windows 11 24H2', 'Ubuntu 24.04'])[1 + n % 3],
    (array['MacBookPro18,3', 'ThinkPad X1 Carbon', 'Surface Laptop 6'])[1 + n % 3],
    upper(substr(md5('serial' || n), 1, 12)), md5('uuid' || n)::uuid::text,
    case when n % 10 = 0 then 'Kept at the office in room ' || n % 400 end,
    owner.id, now() - n % 300 * interval '1 day', now() - n % 5000 * interval '1 minute', 'good',
    now() - interval '300 days', now() - interval '300 days'
  from generate_series(1, ${count}) as n
  join (
    select id, row_number() over (order by id) as place from people where organization_id = ${organizationId}
  ) as owner on owner.place = 1 + n % ${Math.max(1, Math.ceil(count / 2))};

  insert into device_presence (organization_id, device_id, last_seen_at)
  select organization_id, id, now() - id % 90 * interval '1 second' from devices
  where organization_id = ${organizationId};`
