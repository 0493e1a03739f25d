import type { CheckFacts, CheckViewFilter, CheckViewListing } from '@muster/contract/console-checks.ts'
import type { CheckSort } from '@muster/contract/console-values.ts'
import { type Expression, sql } from 'kysely'
import { foldedPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { textFields } from '../../compliance/issues/owner-text-queries.ts'
import { tallyColumns } from '../../compliance/standing/tally-columns.ts'
import { standingAt } from '../../inventory/devices/standing.ts'
import { type ChosenOrder, keyOfPlace, placeIn } from './chosen-order.ts'

type Tag = { id: string; name: string }

const tags = sql<Tag[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', tag.id::text, 'name', tag.name) order by tag.name collate "C"), '[]')
  from check_tag_assignments as assignment
  join check_tags as tag on tag.organization_id = assignment.organization_id and tag.id = assignment.check_tag_id
  where assignment.organization_id = checks.organization_id and assignment.check_id = checks.id
)`

const fromChecks = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .innerJoinLateral(
      (build) =>
        build
          .selectFrom('check_tallies')
          .select(tallyColumns)
          .whereRef('check_tallies.organization_id', '=', 'checks.organization_id')
          .whereRef('check_tallies.check_id', '=', 'checks.id')
          .as('tally'),
      (join) => join.onTrue(),
    )
    .select([
      'checks.id',
      'checks.name',
      'checks.description',
      'checks.platforms',
      'checks.type',
      'checks.is_provided',
      'configuration.remediation_strategy',
      'configuration.paused_at',
      'tally.counted',
      'tally.passing',
      'tally.failing',
      'tally.errored',
      'tally.unknown',
      'tally.stale',
      'tally.pending',
      tags.as('tags'),
    ])
    .where(inOrganization('checks', organizationId))
    .where('checks.deletion_requested_at', 'is', null)

export type CheckViewRow = Omit<Awaited<ReturnType<typeof listCheckViews>>[number], 'place'>

const id = { column: 'checks.id', type: 'bigint' } as const
const name = { column: sql`checks.name collate "C"`, type: 'text' } as const
/** Null where nothing has passed or failed yet: 0 % would say that all of them fail. */
const share = sql`case when tally.passing + tally.failing > 0 then tally.passing * 1000000::bigint / tally.counted end`
const passing = (orElse: number) => ({ column: sql`coalesce(${share}, ${sql.lit(orElse)})`, type: 'bigint' }) as const

/** By the share that passes every check is read: they are as many as someone has enabled or written. */
const orders: Readonly<Record<CheckSort | 'name', ChosenOrder>> = {
  name: { id, sort: name, direction: 'asc' },
  '-name': { id, sort: name, direction: 'desc' },
  passing: { id, sort: passing(2_000_000), direction: 'asc' },
  '-passing': { id, sort: passing(-1), direction: 'desc' },
}

export function listCheckViews(reader: Reader, page: ListPage, { sort: asked, ...filter }: CheckViewListing) {
  const { organizationId, after, limit } = page
  const sort = asked ?? 'name'
  const order = orders[sort]
  return fromChecks(reader, organizationId)
    .select(placeIn(sort, order))
    .where((build) => build.and(conditionsOf(filter)))
    .$call(nextRows(order, keyOfPlace(sort, after), limit))
    .execute()
}

function conditionsOf({ search, platform, strategy, kind, tag, state }: CheckViewFilter): Expression<boolean>[] {
  const conditions: Expression<boolean>[] = []
  const text = search?.trim() ?? ''
  if (text !== '') {
    const pattern = foldedPattern(text)
    conditions.push(
      sql<boolean>`(folded(checks.name) like ${pattern} or folded(checks.description) like ${pattern} or folded(checks.slug) like ${pattern})`,
    )
  }
  if (platform) conditions.push(sql<boolean>`${platform}::text = any(checks.platforms)`)
  if (strategy) conditions.push(sql<boolean>`configuration.remediation_strategy = ${strategy}`)
  if (kind) conditions.push(kindConditions[kind])
  if (state) conditions.push(stateConditions[state])
  if (tag) {
    conditions.push(
      sql<boolean>`exists (select from check_tag_assignments as tagged
        where tagged.organization_id = checks.organization_id and tagged.check_id = checks.id
          and tagged.check_tag_id = ${tag}::bigint)`,
    )
  }
  return conditions
}

const kindConditions = {
  catalogue: sql<boolean>`checks.is_provided`,
  own: sql<boolean>`not checks.is_provided and checks.type <> 'external'`,
  external: sql<boolean>`not checks.is_provided and checks.type = 'external'`,
}

const stateConditions = {
  failing: sql<boolean>`tally.failing > 0`,
  undecided: sql<boolean>`tally.passing + tally.failing < tally.counted`,
  passing: sql<boolean>`tally.passing = tally.counted and tally.counted > 0 and configuration.paused_at is null`,
  paused: sql<boolean>`configuration.paused_at is not null`,
}

export const findCheckFacts = (reader: Reader, organizationId: string, checkId: string) =>
  fromChecks(reader, organizationId)
    .leftJoin('check_recomputations as recomputation', (join) =>
      join
        .onRef('recomputation.organization_id', '=', 'checks.organization_id')
        .onRef('recomputation.check_id', '=', 'checks.id')
        .on('recomputation.finished_at', 'is', null),
    )
    .select([
      'checks.slug',
      'checks.issue_title',
      'checks.sql_template',
      'checks.primary_key_column',
      'checks.interval_seconds',
      'checks.privacy_info',
      ...textFields,
      'recomputation.requested_at as recomputing_since',
      'configuration.query_upgraded_at',
      sql<boolean>`configuration.query_revision is not distinct from configuration.upgraded_query_revision`.as(
        'is_upgraded_query',
      ),
    ])
    .where('checks.id', '=', checkId)
    .executeTakeFirst()

export type CheckFactsRow = NonNullable<Awaited<ReturnType<typeof findCheckFacts>>>

/** Results by status, with how many are of devices that have been silent for long or always. */
export const countStatuses = (reader: Reader, organizationId: string, checkId: string, now: string) =>
  reader
    .selectFrom('check_results')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'check_results.organization_id')
        .onRef('devices.id', '=', 'check_results.device_id'),
    )
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.organization_id', '=', 'devices.organization_id')
        .onRef('presence.device_id', '=', 'devices.id'),
    )
    .select([
      'check_results.status',
      sql<number>`count(*)::int`.as('count'),
      sql<number>`count(*) filter (where ${standingAt(now)} = 'stale')::int`.as('silent'),
      sql<number>`count(*) filter (where ${standingAt(now)} = 'never')::int`.as('never'),
    ])
    .where(inOrganization('check_results', organizationId))
    .where('check_results.check_id', '=', checkId)
    .where('devices.deleted_at', 'is', null)
    .groupBy('check_results.status')
    .execute()

const upgradesShownMs = 30 * dayMs

/** What the last change of the query by an upgrade did; null where it is long ago, or the organization changed it since. */
export async function countSinceUpgrade(
  reader: Reader,
  organizationId: string,
  { id: checkId, query_upgraded_at: upgradedAt, is_upgraded_query: isLatest }: CheckFactsRow,
  now: string,
): Promise<CheckFacts['upgrade']> {
  if (upgradedAt === null || !isLatest || upgradedAt < plusMs(now, -upgradesShownMs)) return null
  const before = sql`check_results.status_before_upgrade`
  const counts = await reader
    .selectFrom('check_results')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'check_results.organization_id')
        .onRef('devices.id', '=', 'check_results.device_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'check_results.organization_id')
        .onRef('configuration.check_id', '=', 'check_results.check_id'),
    )
    .select([
      sql<number>`count(*) filter (where check_results.status = 'failing' and ${before} <> 'failing')::int`.as(
        'newly_failing',
      ),
      sql<number>`count(*) filter (where check_results.status = 'passing' and ${before} = 'failing')::int`.as(
        'newly_passing',
      ),
      sql<number>`count(*) filter (where check_results.query_revision < configuration.query_revision)::int`.as(
        'waiting',
      ),
    ])
    .where(inOrganization('check_results', organizationId))
    .where('check_results.check_id', '=', checkId)
    .where('devices.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { query_upgraded_at: upgradedAt, ...counts }
}

export async function countOpenIssues(reader: Reader, organizationId: string, checkId: string): Promise<number> {
  const found = await reader
    .selectFrom('issues')
    .innerJoin('devices', (join) =>
      join.onRef('devices.organization_id', '=', 'issues.organization_id').onRef('devices.id', '=', 'issues.device_id'),
    )
    .select(sql<number>`count(*)::int`.as('count'))
    .where(inOrganization('issues', organizationId))
    .where('issues.check_id', '=', checkId)
    .where('issues.resolved_at', 'is', null)
    .where('devices.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return found.count
}

/** Identifiers by slug. */
export async function listEnabledSlugs(reader: Reader, organizationId: string, slugs: readonly string[]) {
  const rows = await reader
    .selectFrom('checks')
    .select(['id', 'slug'])
    .where(inOrganization('checks', organizationId))
    .where('slug', '=', sql<string>`any(${slugs}::text[])`)
    .where('deletion_requested_at', 'is', null)
    .execute()
  return new Map(rows.map(({ id, slug }) => [slug, id]))
}
