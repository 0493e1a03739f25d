-- How administrators like the console; who has no row likes it as it comes.
create table console_preferences (
  organization_id bigint not null,
  admin_user_id bigint not null,
  single_keys boolean not null,
  -- Null: as they come.
  device_columns text[],
  constraint console_preferences_pkey primary key (organization_id, admin_user_id),
  constraint console_preferences_admin_fkey foreign key (organization_id, admin_user_id) references admin_users (organization_id, id) on delete cascade
);
