import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

const maxAtOnce = 1_000

/** Removes issues of a check that is on its way out, some at a time; returns how many. Resolve the open ones before. */
export async function dropIssuesOfCheck(tx: Tx, organizationId: string, checkId: string): Promise<number> {
  const { rows } = await sql`
    delete from issues using (
      select doomed.id from issues as doomed
      where doomed.organization_id = ${organizationId}::bigint and doomed.check_id = ${checkId}::bigint
      order by doomed.id limit ${maxAtOnce}
    ) as doomed
    where ${inOrganization('issues', organizationId)} and issues.id = doomed.id
    returning issues.id
  `.execute(tx)
  return rows.length
}
