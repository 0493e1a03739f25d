-- Registrations that someone other than their owner has ended. The device is not offered on first use to that person again.
create table ended_registrations (
  organization_id bigint not null,
  device_id bigint not null,
  person_id bigint not null,
  ended_at timestamptz(3) not null,
  -- Who ended it, by name.
  ended_by text not null,
  constraint ended_registrations_pkey primary key (organization_id, device_id, person_id),
  constraint ended_registrations_device_fkey foreign key (organization_id, device_id)
    references devices (organization_id, id) on delete cascade,
  constraint ended_registrations_person_fkey foreign key (organization_id, person_id)
    references people (organization_id, id) on delete cascade
);
create index ended_registrations_of_person on ended_registrations (organization_id, person_id);

-- How many people are logged in on the device of a sign-in, as its companion says. With several, none is trusted on first use.
alter table signin_sessions add column people_count smallint;
-- The identifiers of several devices that proved themselves in one sign-in where none of them can be the one.
alter table signin_sessions rename column candidates to answered_devices;
update signin_sessions set answered_devices = '[]', state = case state when 'which_device' then 'looking' else state end
  where answered_devices <> '[]' or state = 'which_device';

-- The network that a companion last checked in from.
alter table companion_keys add column network text;

alter table registration_requests
  -- What was known when the request was made on the page of a sign-in.
  add column evidence jsonb,
  -- Taken back by its requester: denied, and by nobody else.
  add column withdrawn_at timestamptz(3),
  add constraint registration_requests_withdrawn_check check (withdrawn_at is null or status = 'denied');
