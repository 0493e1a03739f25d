-- How each device stood on the days that compliance_days counts: a row for as long as it stood the same, up to and
-- without until_day. What is true still has the last day there is.
create table device_standings (
  organization_id bigint not null,
  device_id bigint not null,
  from_day date not null,
  until_day date not null default '9999-12-31',
  standing text not null,
  constraint device_standings_pkey primary key (organization_id, device_id, from_day),
  constraint device_standings_device_fkey foreign key (organization_id, device_id) references devices (organization_id, id) on delete cascade
);
-- Those of a day, of one standing or of all.
create index device_standings_of_day on device_standings (organization_id, standing, until_day, from_day, device_id);
create index device_standings_until on device_standings (until_day);
