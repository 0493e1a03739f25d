import type { LiveAnswerFilter, LiveQueryViewFilter } from '@muster/contract/console-queries.ts'
import { maxRowsInPart } from '@muster/contract/live-queries.ts'
import { sql } from 'kysely'
import { searchPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

type OfCampaign = ListPage<{ readonly campaignId: string }>

const newestFirst: Keyset = { id: { column: 'live_query_campaigns.id', type: 'bigint' }, direction: 'desc' }
const asTheyCame: Keyset = { id: { column: 'live_query_results.id', type: 'bigint' }, direction: 'asc' }
const byAnswerAndRow: Keyset = {
  id: { column: sql`coalesce(element.position, 0)`, type: 'bigint' },
  sort: { column: 'live_query_results.id', type: 'bigint' },
  direction: 'asc',
}

/** A sum over the shards of one campaign: 32 rows at most. */
const counted = (status: 'waiting' | 'successful' | 'errored') => sql<number>`(
  select coalesce(sum(${sql.ref(`tally.${status}`)}), 0)::int from live_query_tallies as tally
  where tally.organization_id = live_query_campaigns.organization_id and tally.campaign_id = live_query_campaigns.id
)`

export function listLiveQueryViews(reader: Reader, page: ListPage, filter: LiveQueryViewFilter) {
  const pattern = searchPattern(filter.search)
  return reader
    .selectFrom('live_query_campaigns')
    .select(['id', 'name', 'osquery_sql', 'created_at', 'started_at', 'published', 'revision', 'tables_used'])
    .select([
      counted('successful').as('successful_devices_count'),
      counted('errored').as('errored_devices_count'),
      counted('waiting').as('waiting_devices_count'),
    ])
    .where(inOrganization('live_query_campaigns', page.organizationId))
    .$if(pattern !== undefined, (query) =>
      query.where(sql<boolean>`(folded(name) like ${pattern} or folded(osquery_sql) like ${pattern})`),
    )
    .$call(nextRows(newestFirst, page.after, page.limit))
    .execute()
}

const answersOf = (reader: Reader, organizationId: string, campaignId: string) =>
  reader
    .selectFrom('live_query_results')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'live_query_results.organization_id')
        .onRef('devices.id', '=', 'live_query_results.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .where(inOrganization('live_query_results', organizationId))
    .where('live_query_results.campaign_id', '=', campaignId)

export const listLiveAnswers = (
  reader: Reader,
  { organizationId, params, after, limit }: OfCampaign,
  { kind }: LiveAnswerFilter,
) =>
  answersOf(reader, organizationId, params.campaignId)
    .select(['live_query_results.id', 'live_query_results.device_id', 'devices.name as device_name'])
    .select(['live_query_results.row_count', 'live_query_results.error_message'])
    .select(['live_query_results.warning_message', 'live_query_results.rows as results'])
    .select(
      sql<number>`jsonb_array_length(live_query_results.rows) + live_query_results.rows_in_parts`.as('kept_count'),
    )
    .$if(kind !== undefined, (query) =>
      query.where('live_query_results.error_message', kind === 'errors' ? 'is not' : 'is', null),
    )
    .$call(nextRows(asTheyCame, after, limit))
    .execute()

export type AnsweredRow = Awaited<ReturnType<typeof listAnsweredRows>>[number]

type Element = { value: Record<string, string>; position: number }

/**
 * The rows of an answer that a page may have: no more than the page is long, from where the page before ended. Parts
 * that have none of them are not unpacked.
 */
function elementsFrom(organizationId: string, after: string | undefined, limit: number) {
  const [resultId = '0', position = '0'] = after?.split(' ') ?? []
  const seen = sql`case live_query_results.id when ${resultId}::bigint then ${position}::int else 0 end`
  return sql<Element>`(
    select one.value, (part.first_row + one.place - 1)::int as position
    from (
      select 1 as first_row, live_query_results.rows where ${seen} < ${sql.lit(maxRowsInPart)}
      union all
      select first_row, rows from live_query_result_parts
      where ${inOrganization('live_query_result_parts', organizationId)} and result_id = live_query_results.id
        and first_row > ${seen} - ${sql.lit(maxRowsInPart)} and first_row <= ${seen} + ${sql.lit(limit)}
    ) as part, jsonb_array_elements(part.rows) with ordinality as one (value, place)
    where part.first_row + one.place - 1 > ${seen} and part.first_row + one.place - 1 <= ${seen} + ${sql.lit(limit)}
  )`.as<'element'>(sql`element (value, position)`)
}

/** Each row separately, and one line for a device that has none; in the order in which the answers came. */
export const listAnsweredRows = (reader: Reader, { organizationId, params, after, limit }: OfCampaign) =>
  answersOf(reader, organizationId, params.campaignId)
    .leftJoinLateral(elementsFrom(organizationId, after, limit), (join) => join.onTrue())
    .select(['live_query_results.id', 'live_query_results.device_id', 'devices.name as device_name'])
    .select([
      'live_query_results.error_message',
      'element.value',
      sql<number>`coalesce(element.position, 0)`.as('position'),
    ])
    .$call(nextRows(byAnswerAndRow, after?.split(' '), limit))
    .execute()

export const placeOfAnsweredRow = ({ id, position }: AnsweredRow): string => `${id} ${position}`

const maxColumns = 200

/** The columns that the answers of a campaign have, as many as a sheet can be read with. */
export async function listAnsweredColumns(
  reader: Reader,
  organizationId: string,
  campaignId: string,
): Promise<readonly string[]> {
  const found = await reader
    .selectFrom('live_query_campaigns')
    .select(
      sql<string[]>`array(
        select distinct name collate "C" as name from live_query_results as result, jsonb_array_elements(result.rows) as element (value),
          jsonb_object_keys(element.value) as name
        where result.organization_id = live_query_campaigns.organization_id
          and result.campaign_id = live_query_campaigns.id
        order by name limit ${sql.lit(maxColumns)}
      )`.as('names'),
    )
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('live_query_campaigns.id', '=', campaignId)
    .executeTakeFirst()
  return found?.names ?? []
}
