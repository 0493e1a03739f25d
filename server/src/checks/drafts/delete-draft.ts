import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { type DraftRow, lockDraft } from './queries.ts'

type Deletion = { draftId: string }

/** Deletes a draft and returns it as it was. The check that was published from it stays. */
export async function deleteDraft(tx: Tx, deletion: Deletion, context: ChangeContext): Promise<DraftRow> {
  const { organizationId } = context
  const { draftId } = deletion
  const draft = orNotFound(await lockDraft(tx, organizationId, draftId))
  await tx
    .deleteFrom('custom_check_drafts')
    .where(inOrganization('custom_check_drafts', organizationId))
    .where('id', '=', draftId)
    .execute()
  const description = `Deleted the draft "${draft.name}" of a custom check.`
  await recordAudit(tx, { action: 'draft.deleted', about: { draft: draftId }, description }, context)
  return draft
}
