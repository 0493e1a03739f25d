import { sql } from 'kysely'
import type { Connection } from '../../base/db/connect.ts'

/**
 * Makes the role that reporting queries run as, and lets the user of `own` take it. `admin` is a connection to the same
 * database of a user who may make roles, or `own` itself. Rejects with PostgreSQL's 42501 when that user may not. Does
 * no harm where the role is there.
 */
export async function createReportRole(own: Connection, admin: Connection): Promise<void> {
  const { rows } = await sql<{ user: string; hasRole: boolean }>`
    select quote_ident(current_user) as "user",
      exists (select from pg_roles where rolname = 'muster_reports') as "hasRole"`.execute(own.db)
  const [{ user = '', hasRole = false } = {}] = rows
  if (!hasRole) await admin.executeScript('create role muster_reports nologin')
  await admin.executeScript(`grant muster_reports to ${user}`)
  await own.executeScript(`
    grant usage on schema reporting to muster_reports;
    grant select on all tables in schema reporting to muster_reports;
    alter default privileges in schema reporting grant select on tables to muster_reports`)
}
