-- Why a device does not report a table that it is asked for; gone once it does.
create table device_table_problems (
  organization_id bigint not null,
  device_id bigint not null,
  reporting_table text not null,
  type text not null,
  message text not null,
  since timestamptz(3) not null,
  constraint device_table_problems_pkey primary key (organization_id, device_id, reporting_table),
  constraint device_table_problems_device_fkey foreign key (organization_id, device_id) references devices (organization_id, id) on delete cascade,
  constraint device_table_problems_type_check check (type in ('denied', 'missing', 'failed'))
);
