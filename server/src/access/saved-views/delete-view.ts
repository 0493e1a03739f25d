import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Deletion = { id: string; adminUserId: string }

/** Deletes a view of one's own, or one whose maker is gone. */
export async function deleteView(tx: Tx, { id, adminUserId }: Deletion, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const deleted = await tx
    .deleteFrom('saved_views')
    .where(inOrganization('saved_views', organizationId))
    .where('id', '=', id)
    .where((is) =>
      is.or([
        is('admin_user_id', '=', adminUserId),
        is.and([is('admin_user_id', 'is', null), is('is_shared', '=', true)]),
      ]),
    )
    .returning(['name', 'page'])
    .executeTakeFirst()
  const { name, page } = orNotFound(deleted)
  const description = `Deleted the view "${name}" of the list ${page}.`
  await recordAudit(tx, { action: 'saved_view.deleted', about: {}, description }, context)
}
