import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { findWrittenCheck } from '../definitions/written-checks.ts'
import { type DraftFields, emptyDraft, readDraftFields } from './draft-fields.ts'
import { judgementColumns } from './judge-draft.ts'
import { requireCustomChecks } from './require-custom-checks.ts'

type NewDraft = {
  /** The form of `readDraftFields`; a name is needed unless the draft begins as a check. */
  input: unknown
  /** The check of the organization's own that the draft begins as and is to change. */
  checkId?: string | undefined
}

/** Makes a draft and returns its identifier. What is wrong with it as a check is no hindrance. */
export async function createDraft(tx: Tx, draft: NewDraft, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  const { input, checkId } = draft
  await requireCustomChecks(tx, organizationId)
  const reading = readDraftFields(input)
  if ('errors' in reading) return fail('invalid', { errors: reading.errors })
  const base = checkId === undefined ? emptyDraft : await fieldsOfCheck(tx, organizationId, checkId)
  const fields: DraftFields = { ...base, ...reading.ok }
  if (fields.name === '') fail('invalid', { errors: [{ field: 'name', message: 'is required' }] })
  if (reading.ok.slug === undefined && base.slug === '') fields.slug = slugFrom(fields.name)
  const { id } = await tx
    .insertInto('custom_check_drafts')
    .values({
      ...fields,
      ...judgementColumns(fields),
      option_definitions: JSON.stringify(fields.option_definitions),
      organization_id: organizationId,
      custom_check_id: checkId ?? null,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const description = `Created the draft "${fields.name}" of a custom check.`
  await recordAudit(tx, { action: 'draft.created', about: { draft: id }, description }, context)
  return id
}

const slugFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-|-$/g, '')

async function fieldsOfCheck(tx: Tx, organizationId: string, checkId: string): Promise<DraftFields> {
  const check = orNotFound(await findWrittenCheck(tx, organizationId, checkId))
  return {
    name: check.name,
    slug: check.slug,
    description: check.description,
    check_type: check.type === 'external' ? 'external' : 'osquery',
    target_type: check.target_type,
    platforms: check.platforms,
    interval_seconds: check.interval_seconds,
    osquery_sql: check.sql_template ?? '',
    // Written through readOptionDefinitions.
    option_definitions: check.option_definitions as OptionDefinitions,
    requires_primary_key: check.primary_key_column !== null,
    primary_key_column: check.primary_key_column ?? '',
    issue_title: check.issue_title,
    rationale_template: check.rationale_template,
    fix_instructions_template: check.fix_instructions_template,
    template_data_examples: check.template_data_examples,
    privacy_info: check.privacy_info,
    privacy_center_example_data: check.privacy_center_example_data,
  }
}
