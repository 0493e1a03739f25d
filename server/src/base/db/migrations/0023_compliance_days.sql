-- How many devices stood how when each day (UTC) was last looked at; for a day that is over, at its end.
create table compliance_days (
  organization_id bigint not null constraint compliance_days_organization_fkey references organizations (id),
  day date not null,
  blocked integer not null,
  will_block integer not null,
  notified integer not null,
  good integer not null,
  stale integer not null,
  never integer not null,
  constraint compliance_days_pkey primary key (organization_id, day)
);
create index compliance_days_day on compliance_days (day);

create table check_days (
  organization_id bigint not null,
  check_id bigint not null,
  day date not null,
  counted integer not null,
  passing integer not null,
  constraint check_days_pkey primary key (organization_id, check_id, day),
  constraint check_days_check_fkey foreign key (organization_id, check_id) references checks (organization_id, id) on delete cascade
);
create index check_days_day on check_days (day);
