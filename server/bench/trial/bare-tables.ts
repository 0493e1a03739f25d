/** The tables of results, issues and events, without what their rows refer to. */
export const bareTablesSql = (devices: number, checks: number): string => `
  create table bare_results (like check_results including all);
  create table bare_issues (like issues including all);
  create table bare_events (like events including all);
  insert into bare_results (organization_id, device_id, check_id, status)
  select 1, device, check_id, 'pending' from generate_series(1, ${devices}) as device, generate_series(1, ${checks}) as check_id`
