import { sql } from 'kysely'
import { type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { takeConfigurations } from '../../compliance/standing/hold-configurations.ts'
import { requestRecomputation } from '../../compliance/targeting/request-recomputation.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { catalogue as shipped } from '../catalogue/catalogue.ts'
import { type CatalogueCheck, editionOf } from '../catalogue/catalogue-check.ts'
import { describeFieldChanges } from '../configuration/describe-field-changes.ts'
import { isSameValue } from '../configuration/same-value.ts'
import { fromCatalogue } from './add-check.ts'
import { fitOptions, lockConfiguration, ofTheQuery, raiseRevision } from './change-query.ts'

const fieldNames = [
  ...([
    'name',
    'description',
    'topics',
    'platforms',
    'interval_seconds',
    'sql_template',
    'option_definitions',
  ] as const),
  ...([
    'primary_key_column',
    'issue_title',
    'rationale_template',
    'fix_instructions_template',
    'privacy_info',
  ] as const),
]

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

const bySlug = (catalogue: readonly CatalogueCheck[]) => new Map(catalogue.map((check) => [check.slug, check]))

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
  const known = bySlug(catalogue)
  const news: { checkId: string; description: string; changes: ReturnType<typeof changesBetween> }[] = []
  for (const before of rows) {
    const check = known.get(before.slug)
    if (check === undefined || before.edition >= editionOf(check)) continue
    const after = rowOf(check)
    await tx
      .updateTable('checks')
      .set({ ...after, option_definitions: JSON.stringify(after.option_definitions), edition: editionOf(check) })
      .where(inOrganization('checks', organizationId))
      .where('id', '=', before.id)
      .execute()
    const differs = (names: readonly (typeof fieldNames)[number][]) =>
      names.some((name) => !isSameValue(before[name], after[name]))
    if (!differs(fieldNames)) continue
    const { kept, consequence } = fitOptions(
      check.options,
      (await lockConfiguration(tx, organizationId, before.id)).options,
    )
    const queryBy = differs(ofTheQuery) ? 'upgrade' : undefined
    await raiseRevision(tx, { checkId: before.id, options: kept, queryBy }, context)
    if (differs(['platforms'])) await requestRecomputation(tx, { checkId: before.id, scope: 'all_devices' }, context)
    const clauses = describeFieldChanges(before, after, fieldNames)
    const description = `Updated the check "${before.name}" with an upgrade of Muster: ${clauses}${consequence}.`
    news.push({ checkId: before.id, description, changes: changesBetween(before, after, fieldNames) })
  }
  if (news.length > 0) await queueAgentNotice(tx, organizationId, null, context.now)
  for (const { checkId, description, changes } of news) {
    await recordAudit(tx, { action: 'check.updated', about: { check: checkId }, description, changes }, context)
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
