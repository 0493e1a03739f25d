-- A node that enrolls as a device with a linked companion is on trial until that companion's key has confirmed it.
alter table node_key_lookups
  add column on_trial_until timestamptz,
  -- What its enrollment said: the facts, the enrollment secret and the address. Taken over once the node is confirmed.
  add column trial jsonb,
  add constraint node_key_lookups_trial_check check ((on_trial_until is null) = (trial is null));
create index node_key_lookups_on_trial on node_key_lookups (on_trial_until) where on_trial_until is not null;

-- Two companions that use one key continue with epochs of their own until a link check tells which one is on the device.
alter table companion_keys
  add column last_proved_at timestamptz,
  add column contest_ends_at timestamptz,
  add column rival_epoch text,
  add column rival_previous_epoch text,
  add column rival_epoch_at timestamptz,
  add column rival_link_name text;
