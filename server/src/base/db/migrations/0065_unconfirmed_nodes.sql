-- A node that enrolls as a device with a linked companion is in service once that companion has confirmed it.
alter table node_key_lookups
  add column unconfirmed_until timestamptz,
  -- What its enrollment said. Taken over once the node is confirmed.
  add column enrollment jsonb,
  add constraint node_key_lookups_enrollment_check check ((unconfirmed_until is null) = (enrollment is null));
create index node_key_lookups_unconfirmed on node_key_lookups (unconfirmed_until) where unconfirmed_until is not null;
-- After an administrator has resolved a conflict, a silent companion stands in the way of no enrollment.
alter table device_reenrollments add column resolved_at timestamptz;

-- Of two companions that use one key, the one whose link check is confirmed continues. Until then the second one has an
-- epoch and a file of its own.
alter table companion_keys
  add column last_proved_at timestamptz,
  -- `linked_at` is when the key was first linked, this when its node has last confirmed it.
  add column confirmed_at timestamptz,
  add column contest_ends_at timestamptz,
  add column rival_epoch text,
  add column rival_since timestamptz,
  add column rival_link_name text,
  add constraint companion_keys_rival_check check (
    (rival_epoch is null) = (rival_since is null) and (rival_link_name is null or rival_epoch is not null)
  );
update companion_keys set confirmed_at = linked_at;
