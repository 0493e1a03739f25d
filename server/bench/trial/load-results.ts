import { onServer, type Trial } from './open-trial.ts'

/**
 * Every check's result on every device: tens of millions of rows, each as small as one can be. Loaded without keys,
 * which are built afterwards, since looking each up while loading takes many times as long.
 */
export async function loadResults(trial: Trial): Promise<void> {
  const { organizationId } = trial
  await trial.load(`
    set statement_timeout = 0;
    set session_replication_role = replica;
    alter table check_results drop constraint check_results_pkey;
    drop index check_results_by_check;
    insert into check_results (organization_id, device_id, check_id, status, query_revision, ran_at)
    select ${organizationId}, devices.id, checks.id, 'passing', 1, now() from devices, checks
    where devices.organization_id = ${organizationId} and checks.organization_id = ${organizationId}
    order by devices.id, checks.id;
    alter table check_results add constraint check_results_pkey primary key (organization_id, device_id, check_id);
    create index check_results_by_check on check_results (organization_id, check_id, device_id)`)
}

/** Every device fails the first check and a few others, all of which only report until now. */
export const openIssuesSql = (organizationId: string, issuesPerDevice: number): string => `
  set statement_timeout = 0;
  insert into issues (organization_id, device_id, check_id, title, value, detected_at, last_rechecked_at)
  select devices.organization_id, devices.id, checks.id, checks.issue_title, '{"KOLIDE_CHECK_STATUS": "FAIL"}', now(), now()
  from devices join (
    select id, issue_title from checks where organization_id = ${organizationId} order by id limit ${issuesPerDevice}
  ) as checks on true
  where devices.organization_id = ${organizationId}`

/** Megabytes of the database. */
export async function databaseMegabytes(databaseUrl: string): Promise<number> {
  const [row] = await onServer(databaseUrl, 'select (pg_database_size(current_database()) / 1048576)::int as megabytes')
  return Number(row?.['megabytes'])
}
