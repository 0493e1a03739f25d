import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Deletion = { id: string }

/** Deletes the query with its rows. */
export async function deleteQuery(tx: Tx, { id }: Deletion, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { name } = orNotFound(
    await tx
      .deleteFrom('reporting_queries')
      .where(inOrganization('reporting_queries', organizationId))
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst(),
  )
  await recordAudit(
    tx,
    {
      action: 'reporting_query.deleted',
      about: { reporting_query: id },
      description: `Deleted the reporting query "${name}".`,
    },
    context,
  )
}
