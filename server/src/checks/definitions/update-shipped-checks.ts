import { type Selectable, sql } from 'kysely'
import { type ChangeContext, type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { takeConfigurations } from '../../compliance/standing/hold-configurations.ts'
import { requestRecomputation } from '../../compliance/targeting/request-recomputation.ts'
import type { OptionDefinitions, OptionValues } from '../../compliance/templates/options.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { TemplateError } from '../../compliance/templates/template-error.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { catalogue as shipped } from '../catalogue/catalogue.ts'
import { type CatalogueCheck, editionOf } from '../catalogue/catalogue-check.ts'
import { fromCatalogue } from './add-check.ts'
import { fitOptions, lockConfiguration, raiseRevision } from './raise-revision.ts'

/** What a check of the catalogue brings, and what people call it. */
const fieldWords = {
  name: 'name',
  description: 'description',
  topics: 'topics',
  platforms: 'platforms',
  interval_seconds: 'interval',
  sql_template: 'query',
  option_definitions: 'options',
  primary_key_column: 'primary key',
  issue_title: 'title of its issues',
  rationale_template: 'rationale',
  fix_instructions_template: 'fix instructions',
  privacy_info: 'privacy information',
} as const
const fieldNames = Object.keys(fieldWords) as (keyof typeof fieldWords)[]

type Upgrade = {
  context: () => ChangeOrigin
  signal: AbortSignal
  /** Left out: the one of this version. */
  catalogue?: readonly CatalogueCheck[]
}

/**
 * Brings the checks that organizations have from the catalogue to the editions of this version, each organization in a
 * transaction of its own. One that a newer version has brought already stays. Where the query changes, devices answer it in
 * their turn, keep their results until then, and blocks that begin with a first answer are held (`holdBlocks`). Rejects once
 * all were tried where one failed.
 */
export async function updateShippedChecks(db: Db, { context, signal, catalogue = shipped }: Upgrade): Promise<void> {
  const faults: unknown[] = []
  for (const organizationId of await listBehind(db, catalogue)) {
    if (signal.aborted) return
    await transact(db, (tx) => updateOne(tx, organizationId, catalogue, context())).catch((error: unknown) => {
      faults.push(error)
    })
  }
  if (faults.length > 0) throw new AggregateError(faults, 'Checks of the catalogue could not be updated')
}

/** Organizations with a check of an older edition. */
async function listBehind(db: Db, catalogue: readonly CatalogueCheck[]): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select distinct checks.organization_id
    from unnest(
      ${catalogue.map(({ slug }) => slug)}::text[], ${catalogue.map(editionOf)}::integer[]
    ) as shipped (slug, edition)
    join checks on checks.slug = shipped.slug
    where checks.is_provided and checks.edition < shipped.edition and checks.deletion_requested_at is null
    order by checks.organization_id
  `.execute(db)
  return rows.map((row) => row.organization_id)
}

async function updateOne(tx: Tx, organizationId: string, catalogue: readonly CatalogueCheck[], origin: ChangeOrigin) {
  const context = { ...origin, organizationId, actor: systemActor }
  // Who else updates it has committed, and what is recorded meanwhile waits.
  await takeConfigurations(tx, organizationId)
  const rows = await tx
    .selectFrom('checks')
    .selectAll()
    .where(inOrganization('checks', organizationId))
    .where('is_provided', '=', true)
    .where('deletion_requested_at', 'is', null)
    .orderBy('id')
    .execute()
  const known = new Map(catalogue.map((check) => [check.slug, check]))
  const news: News[] = []
  for (const before of rows) {
    const check = known.get(before.slug)
    if (check === undefined || before.edition >= editionOf(check)) continue
    const changed = await updateCheck(tx, before, check, context)
    if (changed) news.push(changed)
  }
  if (news.length > 0) await queueAgentNotice(tx, organizationId, null, context.now)
  for (const { checkId, description, changes } of news) {
    await recordAudit(tx, { action: 'check.updated', about: { check: checkId }, description, changes }, context)
  }
}

type News = { checkId: string; description: string; changes: ReturnType<typeof changesBetween> }

/** Returns what to say of it; nothing where the edition differs in nothing. */
async function updateCheck(
  tx: Tx,
  before: Selectable<Database['checks']>,
  check: CatalogueCheck,
  context: ChangeContext,
): Promise<News | undefined> {
  const { organizationId } = context
  const after = rowOf(check)
  await tx
    .updateTable('checks')
    .set({ ...after, option_definitions: JSON.stringify(after.option_definitions), edition: editionOf(check) })
    .where(inOrganization('checks', organizationId))
    .where('id', '=', before.id)
    .execute()
  const changes = changesBetween(before, after, fieldNames)
  if (changes.length === 0) return undefined
  const { options } = await lockConfiguration(tx, organizationId, before.id)
  const { kept, consequence } = fitOptions(check.options, options)
  const isOtherQuery =
    before.primary_key_column !== after.primary_key_column || queryOf(before, options) !== queryOf(after, kept)
  const queryBy = isOtherQuery ? 'upgrade' : undefined
  await raiseRevision(tx, { checkId: before.id, options: kept, queryBy }, context)
  if (changes.some(({ field }) => field === 'platforms')) {
    await requestRecomputation(tx, { checkId: before.id, scope: 'all_devices' }, context)
  }
  const parts = changes.map(({ field }) => fieldWords[field]).join(', ')
  const description = `Updated the check "${before.name}" with an upgrade of Muster: ${parts}${consequence}.`
  return { checkId: before.id, description, changes }
}

type Template = { sql_template: string | null; option_definitions: Record<string, unknown> }

/** What devices are asked; nothing where it could not be made. Other words about an option are no other query. */
function queryOf({ sql_template, option_definitions }: Template, options: Record<string, unknown>): string | undefined {
  try {
    return renderSql(sql_template ?? '', option_definitions as OptionDefinitions, options as OptionValues)
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

function rowOf(check: CatalogueCheck) {
  const whole = fromCatalogue(check)
  return {
    name: whole.name,
    description: whole.description,
    topics: [...check.topics],
    platforms: [...whole.platforms],
    interval_seconds: whole.intervalSeconds,
    sql_template: whole.sqlTemplate,
    option_definitions: check.options,
    primary_key_column: whole.primaryKeyColumn,
    issue_title: whole.issueTitle,
    rationale_template: whole.rationaleTemplate,
    fix_instructions_template: whole.fixInstructionsTemplate,
    privacy_info: whole.privacyInfo ?? '',
  }
}
