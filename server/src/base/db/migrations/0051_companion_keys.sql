-- The keys of companions: the part of an agent that proves, at a sign-in, which device the browser runs on, and that runs
-- checks again while a person waits. A key speaks for a device only once it is linked to the device's osquery node.
create table companion_keys (
  organization_id bigint not null,
  -- RFC 7638 thumbprint of the public key.
  kid text not null,
  public_jwk jsonb not null,
  status text not null constraint companion_keys_status_check check (status in ('linking', 'linked')),
  -- The device that it speaks for once linked; before, the one that its hardware names, if there is one.
  device_id bigint,
  is_bundled boolean not null,
  hardware_uuid text,
  serial text,
  hostname text not null,
  platform text not null,
  agent_version text not null,
  -- The name of the file that the osquery node has to report; null when nothing is asked.
  link_name text,
  linked_at timestamptz(3),
  port integer,
  epoch text not null,
  previous_epoch text,
  epoch_at timestamptz(3) not null,
  is_epoch_used boolean not null default false,
  enrolled_at timestamptz(3) not null,
  last_contact_at timestamptz(3) not null,
  constraint companion_keys_pkey primary key (organization_id, kid),
  constraint companion_keys_device_fkey foreign key (organization_id, device_id)
    references devices (organization_id, id) on delete cascade
);
create index companion_keys_by_device on companion_keys (organization_id, device_id) where device_id is not null;
create index companion_keys_by_hardware on companion_keys (organization_id, hardware_uuid, serial) where status = 'linking';

-- A request carries the key and no organization.
create table companion_key_lookups (
  kid text constraint companion_key_lookups_pkey primary key,
  organization_id bigint not null,
  constraint companion_key_lookups_key_fkey foreign key (organization_id, kid)
    references companion_keys (organization_id, kid) on delete cascade
);
create index companion_key_lookups_by_key on companion_key_lookups (organization_id, kid);
