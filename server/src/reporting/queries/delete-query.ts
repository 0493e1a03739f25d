import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'

type Deletion = { organizationId: string; id: string; actor: Actor; now: string }

/** Deletes the query with its rows. */
export async function deleteQuery(tx: Tx, { organizationId, id, actor, now }: Deletion): Promise<void> {
  const { name } = orNotFound(
    await tx
      .deleteFrom('reporting_queries')
      .where(inOrganization('reporting_queries', organizationId))
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst(),
  )
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { reporting_query: id },
    description: `Deleted the reporting query "${name}".`,
    now,
  })
}
