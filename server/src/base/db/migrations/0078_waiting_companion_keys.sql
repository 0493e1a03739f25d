-- Keys of companions that were never linked are counted by the enrollment secret that let them in, and go after three days.
alter table companion_keys
  -- Null for keys that enrolled before this was kept.
  add column enrollment_secret_id bigint,
  add constraint companion_keys_enrollment_secret_fkey foreign key (organization_id, enrollment_secret_id)
    references enrollment_secrets (organization_id, id);
-- Few keys wait at a time, so that what drops the old ones reads all of it.
create index companion_keys_waiting on companion_keys (organization_id, enrollment_secret_id, enrolled_at)
  where linked_at is null;
