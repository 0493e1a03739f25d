-- Devices that were gone for good while receivers had last been told to keep them out, which they go on doing.
create table ssf_purged_devices (
  organization_id bigint not null constraint ssf_purged_devices_organization_fkey references organizations (id),
  device_id bigint not null,
  purged_at timestamptz(3) not null,
  constraint ssf_purged_devices_pkey primary key (organization_id, device_id)
);
