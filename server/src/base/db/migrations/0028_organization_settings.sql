-- What an organization has chosen; without a row, and where a number is null, everything is as usual.
create table organization_settings (
  organization_id bigint constraint organization_settings_pkey primary key constraint organization_settings_organization_fkey references organizations (id),
  auth_logs_days integer constraint organization_settings_auth_logs_check check (auth_logs_days between 30 and 3650),
  live_results_days integer constraint organization_settings_live_results_check check (live_results_days between 14 and 3650),
  settled_signals_days integer constraint organization_settings_settled_signals_check check (settled_signals_days between 7 and 3650),
  settled_deliveries_days integer constraint organization_settings_settled_deliveries_check check (settled_deliveries_days between 7 and 3650),
  is_first_device_trusted boolean not null default true,
  is_second_factor_required boolean not null default false,
  updated_at timestamptz(3) not null
);
