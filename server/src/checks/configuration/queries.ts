import type { checkSearch } from '@muster/contract/checks.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'
import { ownTemplates } from '../../compliance/issues/owner-text-queries.ts'

const ofTags = (value: string) => sql`array(
  select ${sql.raw(value)} from check_tag_assignments as assignment
  join check_tags as tag on tag.organization_id = assignment.organization_id and tag.id = assignment.check_tag_id
  where assignment.organization_id = checks.organization_id and assignment.check_id = checks.id
)`

const searchColumns = {
  name: { column: 'checks.name', type: 'text' },
  check_description: { column: 'checks.description', type: 'text' },
  check_tag_name: { column: ofTags('tag.name'), type: 'text[]' },
  check_tag_description: { column: ofTags('tag.description'), type: 'text[]' },
  check_tag_id: { column: ofTags('tag.id::text'), type: 'text[]' },
  slug: { column: 'checks.slug', type: 'text' },
  check_slug: { column: 'checks.slug', type: 'text' },
  type: { column: 'checks.type', type: 'text' },
} satisfies SearchColumns<typeof checkSearch>

const byId: Keyset = { id: { column: 'checks.id', type: 'bigint' }, direction: 'asc' }

type TagRow = { id: string; name: string; description: string | null; color: string | null }

const tags = sql<TagRow[]>`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', tag.id::text, 'name', tag.name, 'description', tag.description, 'color', tag.color) order by tag.id), '[]')
  from check_tag_assignments as assignment
  join check_tags as tag on tag.organization_id = assignment.organization_id and tag.id = assignment.check_tag_id
  where assignment.organization_id = checks.organization_id and assignment.check_id = checks.id
)`.as('tags')

/** Names of device groups by identifier, of those that the two blocking lists hold. */
const groupNames = sql<Record<string, string>>`(
  select coalesce(jsonb_object_agg(device_groups.id::text, device_groups.name), '{}') from device_groups
  where device_groups.organization_id = checks.organization_id
    and device_groups.id in (
      select label::bigint from unnest(configuration.blocking_allowed_groups || configuration.blocking_excluded_groups) as label
      where label ~ '^[0-9]{1,18}$'
    )
)`.as('group_names')

const fromChecks = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('check_tallies')
          .select([
            sql<number>`coalesce(sum(counted), 0)::int`.as('counted'),
            sql<number>`coalesce(sum(passing), 0)::int`.as('passing'),
            sql<number>`coalesce(sum(failing), 0)::int`.as('failing'),
          ])
          .whereRef('check_tallies.organization_id', '=', 'checks.organization_id')
          .whereRef('check_tallies.check_id', '=', 'checks.id')
          .as('tally'),
      (join) => join.onTrue(),
    )
    .select([
      'checks.id',
      'checks.name',
      'checks.slug',
      'checks.type',
      'checks.platforms',
      'checks.description',
      'checks.topics',
      'checks.sql_template',
      'checks.issue_title',
      'checks.is_provided',
      ...ownTemplates,
      'configuration.remediation_strategy',
      'configuration.paused_at',
      'configuration.block_auth_grace_period_days',
      'configuration.blocking_allowed_groups',
      'configuration.blocking_excluded_groups',
      'configuration.targeted_groups',
      'configuration.excluded_groups',
      'tally.counted',
      'tally.passing',
      'tally.failing',
      tags,
      groupNames,
    ])
    .where(inOrganization('checks', organizationId))
    .where('checks.deletion_requested_at', 'is', null)

export type CheckRecord = Awaited<ReturnType<typeof listChecks>>[number]

export const listChecks = compileList((reader, page: ListPage) =>
  fromChecks(reader, page.organizationId).$call(onPage(page, byId, searchColumns)),
)

export const findCheck = (reader: Reader, organizationId: string, id: string) =>
  fromChecks(reader, organizationId).where('checks.id', '=', id).executeTakeFirst()

export async function checkExists(reader: Reader, organizationId: string, id: string): Promise<boolean> {
  const found = await reader
    .selectFrom('checks')
    .select('id')
    .where(inOrganization('checks', organizationId))
    .where('id', '=', id)
    .where('deletion_requested_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

export type ConfigurationRow = NonNullable<Awaited<ReturnType<typeof findConfiguration>>>

export const findConfiguration = (reader: Reader, organizationId: string, checkId: string) =>
  reader
    .selectFrom('check_configurations')
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'check_configurations.organization_id')
        .onRef('checks.id', '=', 'check_configurations.check_id'),
    )
    .selectAll('check_configurations')
    .select([
      'checks.name',
      'checks.slug',
      'checks.issue_title',
      'checks.option_definitions',
      'checks.type',
      'checks.platforms',
    ])
    .where(inOrganization('check_configurations', organizationId))
    .where('check_configurations.check_id', '=', checkId)
    .where('checks.deletion_requested_at', 'is', null)
    .executeTakeFirst()
