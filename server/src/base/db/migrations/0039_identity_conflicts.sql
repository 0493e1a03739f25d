-- Two agents that enroll as one device in turn: how often they did, and until when the one without the key is refused.
alter table devices add column identity_conflict_since timestamptz(3);
create index devices_suspended on devices (organization_id, registration_suspended_at, id)
  where registration_suspended_at is not null and deleted_at is null;
create index devices_in_identity_conflict on devices (organization_id, identity_conflict_since, id)
  where identity_conflict_since is not null and deleted_at is null;
create table device_reenrollments (
  organization_id bigint not null,
  device_id bigint not null,
  counted_from timestamptz(3) not null,
  counted integer not null,
  last_at timestamptz(3) not null,
  refused_until timestamptz(3),
  cool_downs integer not null default 0,
  refused integer not null default 0,
  constraint device_reenrollments_pkey primary key (organization_id, device_id),
  constraint device_reenrollments_device_fkey foreign key (organization_id, device_id) references devices (organization_id, id) on delete cascade
);
create index device_reenrollments_quiet on device_reenrollments (last_at);
