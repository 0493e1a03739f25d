-- A name that an administrator gave stays when the machine enrols again and says another.
alter table devices add column is_named boolean not null default false;

create index auth_logs_device_name_search on auth_logs using gin (device_name gin_trgm_ops);

-- What the latest walk along an organization's audit log has found.
create table audit_verifications (
  organization_id bigint constraint audit_verifications_pkey primary key constraint audit_verifications_organization_fkey references organizations (id),
  verified_at timestamptz(3) not null,
  entries_count bigint not null,
  last_id bigint not null,
  -- Null while the log is as it was written.
  fault text,
  faulty_id bigint
);
