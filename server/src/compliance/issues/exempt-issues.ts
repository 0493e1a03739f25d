import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

// The devices of these issues are locked by the caller, who afterwards decides again when their issues block and settles
// their states. What is resolved is left alone.

/** Exempts issues because someone asked for it; returns how many were not yet. */
export async function exemptIssues(tx: Tx, organizationId: string, issueIds: readonly string[]): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('issues')
    .set({ exempted: true, exempted_on_request: true })
    .where(inOrganization('issues', organizationId))
    .where('id', '=', sql<string>`any(${issueIds}::bigint[])`)
    .where('resolved_at', 'is', null)
    .where('exempted_on_request', '=', false)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Takes back what `exemptIssues` did; returns of how many. Where the check is exempted, so are its issues still. */
export async function endExemptionOfIssues(
  tx: Tx,
  organizationId: string,
  issueIds: readonly string[],
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update issues set exempted_on_request = false, exempted = exists (
      select from check_results as result
      where result.organization_id = issues.organization_id and result.device_id = issues.device_id
        and result.check_id = issues.check_id and result.exempted_at is not null
    )
    where ${inOrganization('issues', organizationId)} and issues.id = any(${issueIds}::bigint[])
      and issues.resolved_at is null and issues.exempted_on_request
  `.execute(tx)
  return Number(numAffectedRows)
}

/** Brings the open issues of a check on a device in line with whether the check is exempted there. */
export async function setExemptionOfCheck(
  tx: Tx,
  { organizationId, deviceId, checkId }: { organizationId: string; deviceId: string; checkId: string },
  isExempted: boolean,
): Promise<void> {
  await sql`
    update issues set exempted = ${isExempted}::boolean or exempted_on_request
    where ${inOrganization('issues', organizationId)}
      and issues.device_id = ${deviceId}::bigint and issues.check_id = ${checkId}::bigint
      and issues.resolved_at is null and issues.exempted <> (${isExempted}::boolean or exempted_on_request)
  `.execute(tx)
}
