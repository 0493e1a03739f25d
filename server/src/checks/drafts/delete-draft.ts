import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { type DraftRow, lockDraft } from './queries.ts'

type Deletion = {
  organizationId: string
  draftId: string
  actor: Actor
  now: string
}

/** Deletes a draft and returns it as it was. The check that was published from it stays. */
export async function deleteDraft(tx: Tx, deletion: Deletion): Promise<DraftRow> {
  const { organizationId, draftId, actor, now } = deletion
  const draft = orNotFound(await lockDraft(tx, organizationId, draftId))
  await tx
    .deleteFrom('custom_check_drafts')
    .where(inOrganization('custom_check_drafts', organizationId))
    .where('id', '=', draftId)
    .execute()
  const description = `Deleted the draft "${draft.name}" of a custom check.`
  await recordAudit(tx, { organizationId, actor, about: { draft: draftId }, description, now })
  return draft
}
