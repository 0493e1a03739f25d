import { sql } from 'kysely'
import type { Db, Tx } from '../../base/db/transact.ts'

/** Tells the author why a query did not run. */
export const missingRole =
  'Reporting queries need the database role muster_reports, and it is missing: run `muster reports create-role`.'

export type SandboxPrivileges = {
  /** Whether reporting queries run as a role that can read the reporting tables and none of ours. */
  hasReportRole: boolean
  /** Of the database's users, as a rule, only superusers may. */
  maySetTempFileLimit: boolean
  /** From 16 on an aggregate's own sort may become one of the plan, unless that is switched off. */
  mayPresortAggregates: boolean
  /** Since 17 a sort by a single value does not count what its values take of `work_mem` (`tuplesort_putdatum`). */
  sortsForgetValues: boolean
}

/**
 * What the database lets the sandbox use; nothing of it before the migrations. A role of that name which could read
 * our tables would confine nothing, and counts as absent.
 */
export async function readSandboxPrivileges(db: Db | Tx): Promise<SandboxPrivileges> {
  // Since 16 a member may lack the right to take the role, and those before do not know the word.
  const mayTake = sql`case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end`
  const { rows } = await sql<SandboxPrivileges>`
    select has_parameter_privilege('temp_file_limit', 'set') as "maySetTempFileLimit",
      version.number >= 160000 as "mayPresortAggregates", version.number >= 170000 as "sortsForgetValues", exists (
      select from pg_roles as role
      where role.rolname = 'muster_reports' and not role.rolsuper and pg_has_role(role.oid, ${mayTake})
        and has_schema_privilege(role.oid, to_regnamespace('reporting')::oid, 'usage')
        and not has_table_privilege(role.oid, to_regclass('organizations')::oid, 'select')
    ) as "hasReportRole"
    from (select current_setting('server_version_num')::int as number) as version`.execute(db)
  const nothing = { hasReportRole: false, maySetTempFileLimit: false, mayPresortAggregates: false }
  return rows[0] ?? { ...nothing, sortsForgetValues: true }
}
