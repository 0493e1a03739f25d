-- The origin by which receivers and programs know an organization. Null: the first organization is at MUSTER_BASE_URL,
-- and the others share that address with it.
alter table organizations add column base_url text;
create unique index organizations_base_url_key on organizations (base_url);
-- From here on the organization's keys are refused everywhere but at its own address.
alter table organizations add column old_addresses_ended_at timestamptz(3);

-- Addresses of their own that organizations had before the present one; they serve until they are ended.
create table former_addresses (
  organization_id bigint not null constraint former_addresses_organization_fkey references organizations (id),
  base_url text not null,
  left_at timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint former_addresses_pkey primary key (organization_id, base_url)
);

-- Until now all organizations signed with the keys of the deployment. Where only the first organization has streams,
-- they become its own, and nothing changes. Where others have streams too, they are kept as the keys that those share
-- until each stream is moved to the keys of its organization.
alter table signing_keys
  add column organization_id bigint constraint signing_keys_organization_fkey references organizations (id),
  add column purpose text not null default 'signals'
    constraint signing_keys_purpose_check check (purpose in ('signals', 'shared_signals')),
  -- Not trusted any more: published no longer, whatever it signed.
  add column withdrawn_at timestamptz(3);
delete from signing_keys where not exists (select from organizations);
update signing_keys set organization_id = (select min(id) from organizations),
  purpose = case when exists (
    select from ssf_streams
    where deleted_at is null and organization_id <> (select min(id) from organizations)
  ) then 'shared_signals' else 'signals' end;
alter table signing_keys
  alter column organization_id set not null,
  alter column purpose drop default,
  drop constraint signing_keys_pkey,
  add constraint signing_keys_pkey primary key (organization_id, kid);

alter table ssf_streams
  -- Issuer of its tokens, relative to MUSTER_BASE_URL: '' is that address, '/ssf/2' a path of it, else an origin.
  add column issuer text not null default '',
  add column signing_purpose text not null default 'signals'
    constraint ssf_streams_signing_purpose_check check (signing_purpose in ('signals', 'shared_signals')),
  -- What was queued before the move keeps the issuer and the keys of before.
  add column moved_at timestamptz(3),
  add column former_issuer text,
  add column former_signing_purpose text
    constraint ssf_streams_former_signing_purpose_check check (former_signing_purpose in ('signals', 'shared_signals')),
  -- When tokens that wait were last signed anew.
  add column resigned_at timestamptz(3);
update ssf_streams set signing_purpose = 'shared_signals'
where exists (select from signing_keys where purpose = 'shared_signals');
