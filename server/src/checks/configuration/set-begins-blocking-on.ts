import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { requestRecomputation } from '../../compliance/targeting/request-recomputation.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockConfiguration } from './update-configuration.ts'

type Change = {
  checkId: string
  /** Null: there is no such moment. */
  beginsBlockingOn: string | null
}

/**
 * Sets the moment before which a check blocks nobody. As with every change of a configuration the revision goes up, the
 * touched devices are decided again in the background, and an equal value writes nothing.
 */
export async function setBeginsBlockingOn(tx: Tx, change: Change, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { checkId, beginsBlockingOn } = change
  const before = orNotFound(await lockConfiguration(tx, organizationId, checkId))
  if (before.begins_blocking_on === beginsBlockingOn) return
  await tx
    .updateTable('check_configurations')
    .set((row) => ({
      begins_blocking_on: beginsBlockingOn,
      revision: sql`${row.ref('revision')} + 1`,
      updated_at: now,
    }))
    .where(inOrganization('check_configurations', organizationId))
    .where('check_id', '=', checkId)
    .execute()
  await requestRecomputation(tx, { organizationId, checkId, scope: 'open_issues', now })
  const [from, to] = [before.begins_blocking_on, beginsBlockingOn].map((moment) => moment ?? 'no date')
  const changes = [{ field: 'begins_blocking_on', from: before.begins_blocking_on, to: beginsBlockingOn }]
  const description = `Updated the configuration of the check "${before.name}": when it begins to block from ${from} to ${to}.`
  await recordAudit(tx, { action: 'check.configured', about: { check: checkId }, description, changes }, context)
}
