import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The organization's own texts come before those of the check. */
export const ownTemplates = [
  sql<string>`coalesce(configuration.custom_rationale_template, checks.rationale_template)`.as('rationale_template'),
  sql<string>`coalesce(configuration.custom_fix_instructions_template, checks.fix_instructions_template)`.as(
    'fix_instructions_template',
  ),
] as const

/** What the texts of an issue are made from, beside its rows: see `ownerTextsOf`. */
export const textFields = ['checks.option_definitions', 'configuration.options', ...ownTemplates] as const

/** In bytes. Several times what the texts of fifty devices take, unless rows and templates are as long as they may be. */
const maxRead = 8_000_000

/** What the texts of issues are made from, in their order, until it is too much. */
export const listTextParts = (reader: Reader, organizationId: string, issueIds: readonly string[]) =>
  reader
    .selectFrom((build) =>
      build
        .selectFrom('issues')
        .innerJoin('checks', (join) =>
          join
            .onRef('checks.organization_id', '=', 'issues.organization_id')
            .onRef('checks.id', '=', 'issues.check_id'),
        )
        .innerJoin('check_configurations as configuration', (join) =>
          join
            .onRef('configuration.organization_id', '=', 'issues.organization_id')
            .onRef('configuration.check_id', '=', 'issues.check_id'),
        )
        .select([
          ...(['issues.id', 'issues.value'] as const),
          ...textFields,
          sql<number>`sum(
            octet_length(issues.value::text)
            + octet_length(coalesce(configuration.custom_rationale_template, checks.rationale_template))
            + octet_length(coalesce(configuration.custom_fix_instructions_template, checks.fix_instructions_template))
          ) over (order by array_position(${issueIds}::bigint[], issues.id))`.as('bytes'),
        ])
        .where(inOrganization('issues', organizationId))
        .where('issues.id', '=', sql<string>`any(${issueIds}::bigint[])`)
        .as('parts'),
    )
    .selectAll()
    .where('bytes', '<=', sql.lit(maxRead))
    .execute()
