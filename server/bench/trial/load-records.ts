/** Requests, live queries, inventory, reporting queries, drafts, sign-ins and administrators, a statement text each. */
export const recordsSql = (organizationId: string, devices: number): string[] => [
  requestsSql(organizationId),
  liveQueriesSql(organizationId),
  inventorySql(organizationId),
  reportingQueriesSql(organizationId),
  draftsSql(organizationId),
  authLogsSql(organizationId, devices * 5),
  adminsSql(organizationId),
]

/** Ten thousand of each kind, the first hundred still to be decided. */
const requestsSql = (organizationId: string): string => `
  insert into exemption_requests (organization_id, device_id, person_id, status, requester_message, requested_at, decided_at)
  select devices.organization_id, devices.id, devices.registered_owner_id,
    case when place <= 100 then 'open' else 'approved' end, 'I need this until Friday, number ' || place,
    now() - place * interval '1 minute', case when place > 100 then now() end
  from (select *, row_number() over (order by id) as place from devices where organization_id = ${organizationId}) as devices
  where place <= 10000;
  insert into exemption_request_issues (organization_id, exemption_request_id, issue_id)
  select issues.organization_id, exemption_requests.id, issues.id from exemption_requests
  join issues on issues.organization_id = exemption_requests.organization_id and issues.device_id = exemption_requests.device_id
  where exemption_requests.organization_id = ${organizationId};
  insert into registration_requests (organization_id, device_id, person_id, status, requester_message, requested_at, decided_at)
  select organization_id, device_id, person_id, case status when 'open' then 'pending' else 'denied' end,
    requester_message, requested_at, decided_at
  from exemption_requests where organization_id = ${organizationId}`

/** Five hundred campaigns, the first of which every device has answered. */
const liveQueriesSql = (organizationId: string): string => `
  insert into live_query_campaigns (organization_id, name, osquery_sql, tables_used, published, targeted_device_ids,
    targeted_platforms, created_at, started_at)
  select ${organizationId}, 'Who runs this, number ' || n, 'select * from processes', '{processes}', true, '{}', '{all}',
    now() - n * interval '1 hour', now() - n * interval '1 hour'
  from generate_series(1, 500) as n;
  insert into live_query_results (organization_id, campaign_id, device_id, revision, row_count, error_message, rows)
  select ${organizationId}, campaign.id, devices.id, 1, 20, null,
    (select jsonb_agg(jsonb_build_object('pid', n::text, 'name', 'process ' || n, 'path', '/usr/bin/process' || n))
      from generate_series(1, 20) as n)
  from (select min(id) as id from live_query_campaigns where organization_id = ${organizationId}) as campaign, devices
  where devices.organization_id = ${organizationId}`

/** Twenty programs on each device. */
const inventorySql = (organizationId: string): string => `
  set statement_timeout = 0;
  insert into device_snapshots (organization_id, device_id, reporting_table, digest, is_truncated, is_scheduled, taken_at)
  select organization_id, id, '${inventoryTable}', '\\x00', false, true, now() from devices
  where organization_id = ${organizationId};
  insert into device_snapshot_rows (organization_id, reporting_table, device_id, content)
  select devices.organization_id, '${inventoryTable}', devices.id,
    jsonb_build_object('name', 'Program ' || n, 'version', n || '.0.' || devices.id % 10, 'source', 'deb_packages')
  from devices, generate_series(1, 20) as n where devices.organization_id = ${organizationId}`

/** The table of inventory that is filled. */
export const inventoryTable = 'device_software'

/** A hundred queries with five hundred rows each. */
const reportingQueriesSql = (organizationId: string): string => `
  insert into reporting_queries (organization_id, name, sql, created_at, next_run_at, last_run_id, run_id, ran_at,
    column_names, result_count)
  select ${organizationId}, 'Report ' || n, 'select 1', now(), now() + interval '1 day', 1, 1, now(), '{name,devices}', 500
  from generate_series(1, 100) as n;
  insert into reporting_query_runs (organization_id, query_id, run_id, row_count, slice_ends, digest, content)
  select organization_id, reporting_queries.id, 1, 500,
    (select array_agg(n * 50 order by n) filter (where n % 25 = 0) from generate_series(1, 500) as n), '', (
      select convert_to(string_agg(rpad(json_build_object('name', 'Program ' || n, 'devices', n)::text, 49) || chr(10), ''
        order by n), 'UTF8') from generate_series(1, 500) as n)
  from reporting_queries where organization_id = ${organizationId}`

const draftsSql = (organizationId: string): string => `
  insert into custom_check_drafts (organization_id, slug, name, description, check_type, target_type, platforms,
    interval_seconds, osquery_sql, option_definitions, requires_primary_key, primary_key_column, issue_title,
    rationale_template, fix_instructions_template, template_data_examples, privacy_info, privacy_center_example_data,
    osquery_sql_status, notification_templates_status, details_status, privacy_center_details_status, created_at, updated_at)
  select ${organizationId}, 'draft-' || n, 'Draft ' || n, 'A draft.', 'osquery', 'devices', '{darwin}', 3600,
    'select ''PASS'' as KOLIDE_CHECK_STATUS', '{}', false, '', 'It fails', 'Why.', 'How.', '[]', 'Nothing.', '[]',
    'good', 'good', 'good', 'good', now(), now()
  from generate_series(1, 1000) as n`

const authLogsSql = (organizationId: string, count: number): string => `
  set statement_timeout = 0;
  insert into auth_logs (organization_id, started_at, result, initial_status, person_name, person_email, device_id,
    device_name, agent_version, ip_address, country, city, browser_name, browser_version, browser_user_agent,
    application_id, application_name)
  select ${organizationId}, now() - n * interval '1 minute', case when n % 10 = 0 then 'Fail' else 'Success' end,
    'all_good', 'Person ' || n % 5000, 'person' || n % 5000 || '@bench.example', n, 'Laptop ' || n, '5.23.0',
    '192.0.2.' || n % 250, 'Germany', 'Berlin', 'Firefox', '145.0', 'Mozilla/5.0', '0oa1', 'Mail'
  from generate_series(1, ${count}) as n;
  insert into auth_log_events (organization_id, auth_log_id, position, type, description, occurred_at)
  select organization_id, auth_logs.id, position, 'sign_in_attempt', 'Began to sign in.', started_at
  from auth_logs, generate_series(1, 3) as position where organization_id = ${organizationId}`

const adminsSql = (organizationId: string): string => `
  insert into admin_users (organization_id, first_name, last_name, email, access, created_at)
  select ${organizationId}, 'Admin', 'Number ' || n, 'admin' || n || '@bench.example', 'full', now()
  from generate_series(1, 200) as n`
