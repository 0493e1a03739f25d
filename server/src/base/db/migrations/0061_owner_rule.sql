-- A rule gives owners only to devices that never had one: a registration that was ended stays ended.
alter table devices add column has_had_owner boolean not null default false;
update devices set has_had_owner = true
where registered_at is not null or exists (
  select from audit_logs
  where audit_logs.organization_id = devices.organization_id
    and audit_logs.action in ('device.registered', 'device.unregistered', 'device.merged')
    and audit_logs.about @> array['device:' || devices.id]);
create index devices_never_owned on devices (organization_id, id) where not has_had_owner and deleted_at is null;

alter table organization_settings add column is_owner_by_account boolean not null default false;

-- The names of local accounts that a person's user names stand for: each whole, and its part before the @. With the
-- organization, so that an index finds its people only.
create function account_names(organization_id bigint, usernames text[]) returns text[] language sql immutable parallel safe
  return array(
    select distinct organization_id || ':' || name
    from unnest(usernames) as username, unnest(array[folded(username), folded(split_part(username, '@', 1))]) as name
    where name <> ''
  );
create index people_account_names on people using gin (account_names(organization_id, usernames));
