import type { LiveAnswerFilter, LiveQueryViewFilter } from '@muster/contract/console-queries.ts'
import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Reader } from '../db/transact.ts'
import { afterCursor, inKeysetOrder, type Keyset } from '../lists/keyset.ts'
import type { ListPage } from '../lists/list-page.ts'
import { patternOf } from './rules.ts'

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
  const pattern = patternOf(filter.search)
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
      query.where(sql<boolean>`(name ilike ${pattern} or osquery_sql ilike ${pattern})`),
    )
    .where(afterCursor(newestFirst, page.after === undefined ? undefined : [page.after]))
    .$call(inKeysetOrder(newestFirst))
    .limit(sql.lit(page.limit))
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
    .$if(kind !== undefined, (query) =>
      query.where('live_query_results.error_message', kind === 'errors' ? 'is not' : 'is', null),
    )
    .where(afterCursor(asTheyCame, after === undefined ? undefined : [after]))
    .$call(inKeysetOrder(asTheyCame))
    .limit(sql.lit(limit))
    .execute()

export type AnsweredRow = Awaited<ReturnType<typeof listAnsweredRows>>[number]

/** Each row by itself, and one line for a device that has none; in the order in which the answers came. */
export const listAnsweredRows = (reader: Reader, { organizationId, params, after, limit }: OfCampaign) =>
  answersOf(reader, organizationId, params.campaignId)
    .leftJoinLateral(
      (build) =>
        build
          .selectFrom(
            sql<{ value: Record<string, string>; position: number }>`jsonb_array_elements(live_query_results.rows)
              with ordinality`.as<'one'>(sql`one (value, position)`),
          )
          .select(['one.value', sql<number>`one.position::int`.as('position')])
          .as('element'),
      (join) => join.onTrue(),
    )
    .select(['live_query_results.id', 'live_query_results.device_id', 'devices.name as device_name'])
    .select([
      'live_query_results.error_message',
      'element.value',
      sql<number>`coalesce(element.position, 0)`.as('position'),
    ])
    .where(afterCursor(byAnswerAndRow, after?.split(' ')))
    .$call(inKeysetOrder(byAnswerAndRow))
    .limit(sql.lit(limit))
    .execute()

export const placeOfAnsweredRow = ({ id, position }: AnsweredRow): string => `${id} ${position}`

const mostColumns = 200

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
        select distinct name from live_query_results as result, jsonb_array_elements(result.rows) as element (value),
          jsonb_object_keys(element.value) as name
        where result.organization_id = live_query_campaigns.organization_id
          and result.campaign_id = live_query_campaigns.id
        order by name limit ${sql.lit(mostColumns)}
      )`.as('names'),
    )
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('live_query_campaigns.id', '=', campaignId)
    .executeTakeFirst()
  return found?.names ?? []
}
