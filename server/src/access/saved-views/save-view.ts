import type { SavedView, SavedViewCreation } from '@muster/contract/saved-views.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { listSavedViews, maxOfPage } from './queries.ts'

/** Keeps filters under a name that no other view of the list has that its maker sees. */
export async function saveView(
  tx: Tx,
  wanted: SavedViewCreation,
  adminUserId: string,
  context: ChangeContext,
): Promise<SavedView> {
  const { organizationId, now } = context
  const { page, filters, is_shared: isShared } = wanted
  const name = wanted.name.trim()
  await sql`select pg_advisory_xact_lock(hashtextextended(${`saved views ${organizationId}`}, 0))`.execute(tx)
  const known = await listSavedViews(tx, { organizationId, adminUserId, page })
  const refuse = (message: string) => fail('invalid', { errors: [{ field: 'name', message }] })
  if (name === '') return refuse('must not be blank')
  if (known.some((view) => view.name.toLowerCase() === name.toLowerCase()))
    return refuse('is already the name of a view')
  if (known.filter((view) => view.is_shared === isShared).length >= maxOfPage) {
    return refuse(`cannot be added: a list has at most ${maxOfPage} views; delete one first`)
  }
  const { id } = await tx
    .insertInto('saved_views')
    .values({
      ...{ organization_id: organizationId, admin_user_id: adminUserId, page, name, filters },
      ...{ is_shared: isShared, created_at: now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const description = `Saved the view "${name}" of the list ${page}${isShared ? ' for everyone' : ''}.`
  await recordAudit(tx, { action: 'saved_view.created', about: {}, description }, context)
  return { id, name, filters, is_shared: isShared, is_own: true }
}
