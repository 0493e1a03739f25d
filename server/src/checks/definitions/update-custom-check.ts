import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { requestRecomputation } from '../../compliance/targeting/request-recomputation.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { describeFieldChanges } from '../configuration/describe-field-changes.ts'
import { isSameValue } from '../configuration/same-value.ts'
import type { NewCheck } from './add-check.ts'
import { fitOptions, lockConfiguration, raiseRevision } from './raise-revision.ts'
import { findWrittenCheck } from './written-checks.ts'

/** A check of the organization's own, whole. */
export type WrittenCheck = Required<Omit<NewCheck, 'isProvided' | 'edition' | 'topics' | 'optionDefinitions'>> & {
  optionDefinitions: OptionDefinitions
}

type Update = { checkId: string; check: WrittenCheck }

const fieldNames = [
  'name',
  'description',
  'target_type',
  'platforms',
  'interval_seconds',
  'sql_template',
  'option_definitions',
  'primary_key_column',
  'issue_title',
  'rationale_template',
  'fix_instructions_template',
  'template_data_examples',
  'privacy_info',
  'privacy_center_example_data',
] as const

/** What makes the results so far answers to another question. */
const ofTheQuery = ['sql_template', 'option_definitions', 'primary_key_column'] as const
const ofTheSchedule = ['platforms', 'interval_seconds', ...ofTheQuery] as const

/**
 * Changes a check that the organization wrote itself; its slug and type stay. What changes nothing writes nothing; any
 * other change is audited field by field. A change of the query makes the results stale and has agents run the new one;
 * devices are decided again in the background. Returns whether anything changed.
 */
export async function updateCustomCheck(tx: Tx, update: Update, context: ChangeContext): Promise<boolean> {
  const { organizationId, now } = context
  const { checkId } = update
  const { options } = await lockConfiguration(tx, organizationId, checkId)
  const before = orNotFound(await findWrittenCheck(tx, organizationId, checkId))
  const after = rowOf(update.check)
  const news = describeFieldChanges(before, after, fieldNames)
  if (news === '') return false
  const differs = (names: readonly (typeof fieldNames)[number][]) =>
    names.some((name) => !isSameValue(before[name], after[name]))
  const { kept, consequence } = fitOptions(update.check.optionDefinitions, options)
  await tx
    .updateTable('checks')
    .set({ ...after, option_definitions: JSON.stringify(after.option_definitions) })
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .execute()
  const isOtherQuery = differs(ofTheQuery)
  await raiseRevision(tx, { checkId, options: kept, queryBy: isOtherQuery ? 'organization' : undefined }, context)
  if (isOtherQuery || differs(['platforms'])) {
    await requestRecomputation(tx, { checkId, scope: 'all_devices' }, context)
  }
  if (differs(ofTheSchedule)) await queueAgentNotice(tx, organizationId, null, now)
  const description = `Changed the check "${before.name}": ${news}${consequence}.`
  const changes = changesBetween(before, after, fieldNames)
  await recordAudit(tx, { action: 'check.updated', about: { check: checkId }, description, changes }, context)
  return true
}

const rowOf = (check: WrittenCheck) => ({
  name: check.name,
  description: check.description,
  target_type: check.targetType,
  platforms: [...check.platforms],
  interval_seconds: check.intervalSeconds,
  sql_template: check.sqlTemplate,
  option_definitions: check.optionDefinitions,
  primary_key_column: check.primaryKeyColumn,
  issue_title: check.issueTitle,
  rationale_template: check.rationaleTemplate,
  fix_instructions_template: check.fixInstructionsTemplate,
  template_data_examples: check.templateDataExamples,
  privacy_info: check.privacyInfo,
  privacy_center_example_data: check.privacyCenterExampleData,
})
