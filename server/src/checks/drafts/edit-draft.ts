import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { describeFieldChanges } from '../configuration/describe-field-changes.ts'
import { type DraftFields, draftFieldNames, fieldsOf, readDraftFields } from './draft-fields.ts'
import { judgementColumns } from './judge-draft.ts'
import { lockDraft } from './queries.ts'
import { requireCustomChecks } from './require-custom-checks.ts'

type Edit = { draftId: string; input: unknown }

/**
 * Changes the fields that `input` has and leaves the rest. The check that was published from the draft stays as it is
 * until the draft is published again. An edit that changes nothing writes nothing; returns whether it did.
 */
export async function editDraft(tx: Tx, { draftId, input }: Edit, context: ChangeContext): Promise<boolean> {
  const { organizationId, now } = context
  await requireCustomChecks(tx, organizationId)
  const reading = readDraftFields(input)
  if ('errors' in reading) return fail('invalid', { errors: reading.errors })
  const stored = orNotFound(await lockDraft(tx, organizationId, draftId))
  // Written through readOptionDefinitions.
  const before = fieldsOf({ ...stored, option_definitions: stored.option_definitions as OptionDefinitions })
  const after: DraftFields = { ...before, ...reading.ok }
  const news = describeFieldChanges(before, after, draftFieldNames)
  if (news === '') return false
  await tx
    .updateTable('custom_check_drafts')
    .set({
      ...after,
      ...judgementColumns(after),
      option_definitions: JSON.stringify(after.option_definitions),
      updated_at: now,
    })
    .where(inOrganization('custom_check_drafts', organizationId))
    .where('id', '=', draftId)
    .execute()
  const description = `Edited the draft "${before.name}" of a custom check: ${news}.`
  const changes = changesBetween(before, after, draftFieldNames)
  await recordAudit(tx, { action: 'draft.updated', about: { draft: draftId }, description, changes }, context)
  return true
}
