import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { addCheck } from '../definitions/add-check.ts'
import { updateCustomCheck, type WrittenCheck } from '../definitions/update-custom-check.ts'
import { type DraftFields, fieldsOf } from './draft-fields.ts'
import { isPublished } from './present.ts'
import { type DraftRow, lockDraft } from './queries.ts'
import { requireCustomChecks } from './require-custom-checks.ts'
import { judgeSections, sectionNames } from './sections.ts'
import { sectionsAround } from './standing.ts'

type Publication = { draftId: string }

/**
 * Makes a check of the draft, one that only reports, or brings the check in line that the draft belongs to. Fails with
 * invalid, naming the sections, unless all of them are good. Returns the check's identifier.
 */
export async function publishDraft(tx: Tx, { draftId }: Publication, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  await requireCustomChecks(tx, organizationId)
  const draft = orNotFound(await lockDraft(tx, organizationId, draftId))
  // Written through readOptionDefinitions.
  const fields = fieldsOf({ ...draft, option_definitions: draft.option_definitions as OptionDefinitions })
  refuseUnfinished(draft, fields)
  const check = checkOf(fields)
  if (draft.check_id !== null) {
    const isChanged = await updateCustomCheck(tx, { checkId: draft.check_id, check }, context)
    if (!isChanged && isPublished(draft)) return draft.check_id
  }
  const checkId = draft.check_id ?? (await addCheck(tx, { ...check, isProvided: false }, context))
  await tx
    .updateTable('custom_check_drafts')
    .set({ custom_check_id: checkId, published_at: now, updated_at: now })
    .where(inOrganization('custom_check_drafts', organizationId))
    .where('id', '=', draftId)
    .execute()
  await recordAudit(
    tx,
    {
      action: 'draft.published',
      about: { draft: draftId, check: checkId },
      description: `Published the draft "${fields.name}" of a custom check.`,
    },
    context,
  )
  return checkId
}

function refuseUnfinished(draft: DraftRow, fields: DraftFields): void {
  const sections = sectionsAround(draft, judgeSections(fields))
  const errors = sectionNames
    .filter((name) => sections[name].status !== 'good')
    .map((name) => ({
      field: `${name}_status`,
      message: `is ${sections[name].status}: ${sections[name].reasons.join('; ')}`,
    }))
  if (errors.length > 0) fail('invalid', { message: 'The draft cannot be published as it is.', errors })
}

const checkOf = (fields: DraftFields): WrittenCheck => ({
  slug: fields.slug,
  name: fields.name,
  type: fields.check_type === 'external' ? 'external' : 'custom',
  platforms: fields.platforms,
  description: fields.description,
  sqlTemplate: fields.check_type === 'external' ? null : fields.osquery_sql,
  optionDefinitions: fields.option_definitions,
  primaryKeyColumn: fields.requires_primary_key ? fields.primary_key_column : null,
  issueTitle: fields.issue_title,
  rationaleTemplate: fields.rationale_template,
  fixInstructionsTemplate: fields.fix_instructions_template,
  intervalSeconds: fields.interval_seconds,
  targetType: fields.target_type,
  templateDataExamples: fields.template_data_examples,
  privacyInfo: fields.privacy_info,
  privacyCenterExampleData: fields.privacy_center_example_data,
})
