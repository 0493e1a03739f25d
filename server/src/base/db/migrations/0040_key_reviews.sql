alter table api_keys
  -- From then on it is refused as if it were revoked; null for a key that does not expire.
  add column expires_at timestamptz(3),
  -- Set by the upgrade alone, for keys that an administrator without full access created or granted something; null once an
  -- administrator has reviewed the key.
  add column needs_review_since timestamptz(3);
create index api_keys_to_review on api_keys (organization_id, id) where needs_review_since is not null and revoked_at is null;

update api_keys set needs_review_since = date_trunc('milliseconds', now())
where revoked_at is null and exists (
  select from audit_logs as entry
  where entry.organization_id = api_keys.organization_id
    and entry.actor_type = 'User' and entry.actor_id is not null
    and (entry.about @> array['api_key:' || api_keys.id]
      or (entry.about is null and starts_with(entry.description, 'Created the API key "' || api_keys.name || '"')))
    and (starts_with(entry.description, 'Created the API key ') or starts_with(entry.description, 'Granted the API key '))
    and not exists (
      select from admin_users where admin_users.organization_id = entry.organization_id
        and admin_users.id = entry.actor_id and admin_users.access = 'full'
    )
);
