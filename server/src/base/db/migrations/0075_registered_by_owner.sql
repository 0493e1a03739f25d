-- Whether the owner registered the device: with an enrollment secret issued for them, or at a sign-in.
alter table devices add column is_registered_by_owner boolean not null default false;
create index devices_registered_by_owner on devices (organization_id, registered_at) where is_registered_by_owner;
