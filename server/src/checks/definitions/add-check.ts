import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { requestRecomputation } from '../../compliance/targeting/request-recomputation.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { type CatalogueCheck, editionOf } from '../catalogue/catalogue-check.ts'

export type NewCheck = {
  slug: string
  name: string
  type: 'osquery' | 'custom' | 'external'
  isProvided: boolean
  platforms: readonly string[]
  description: string
  topics?: readonly string[]
  sqlTemplate: string | null
  optionDefinitions?: OptionDefinitions
  primaryKeyColumn: string | null
  issueTitle: string
  rationaleTemplate: string
  fixInstructionsTemplate: string
  intervalSeconds?: number
  targetType?: 'devices' | 'people'
  /** JSON text of rows. */
  templateDataExamples?: string
  privacyInfo?: string
  /** JSON text of rows. */
  privacyCenterExampleData?: string
  /** Of the catalogue's check. */
  edition?: number
}

/** Adds a check, reporting only, and targets the devices it fits in the background. Returns its identifier. */
export async function addCheck(tx: Tx, check: NewCheck, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  const { id } = await tx
    .insertInto('checks')
    .values({
      organization_id: organizationId,
      slug: check.slug,
      name: check.name,
      type: check.type,
      is_provided: check.isProvided,
      platforms: [...check.platforms],
      description: check.description,
      topics: [...(check.topics ?? [])],
      sql_template: check.sqlTemplate,
      option_definitions: JSON.stringify(check.optionDefinitions ?? {}),
      primary_key_column: check.primaryKeyColumn,
      issue_title: check.issueTitle,
      rationale_template: check.rationaleTemplate,
      fix_instructions_template: check.fixInstructionsTemplate,
      interval_seconds: check.intervalSeconds,
      target_type: check.targetType,
      template_data_examples: check.templateDataExamples,
      privacy_info: check.privacyInfo,
      privacy_center_example_data: check.privacyCenterExampleData,
      edition: check.edition,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('check_configurations')
    .values({ organization_id: organizationId, check_id: id, updated_at: now })
    .execute()
  await requestRecomputation(tx, { checkId: id, scope: 'all_devices' }, context)
  await queueAgentNotice(tx, organizationId, null, now)
  await recordAudit(
    tx,
    { action: 'check.created', about: { check: id }, description: `Added the check "${check.name}".` },
    context,
  )
  return id
}

const hourSeconds = 3_600

export const fromCatalogue = (check: CatalogueCheck): NewCheck => ({
  slug: check.slug,
  edition: editionOf(check),
  name: check.name,
  type: 'osquery',
  isProvided: true,
  platforms: check.platforms,
  description: check.description,
  topics: check.topics,
  sqlTemplate: check.sql,
  optionDefinitions: check.options,
  primaryKeyColumn: check.primaryKeyColumn,
  issueTitle: check.issueTitle,
  rationaleTemplate: check.rationale,
  fixInstructionsTemplate: check.fixInstructions,
  ...(check.privacyInfo === undefined ? {} : { privacyInfo: check.privacyInfo }),
  intervalSeconds: check.intervalMinutes === undefined ? hourSeconds : check.intervalMinutes * 60,
})
