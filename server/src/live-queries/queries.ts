import type { liveQueryCampaignSearch, liveQueryResultSearch } from '@muster/contract/live-queries.ts'
import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import type { LiveQueryStatus } from '../base/db/schema.ts'
import type { Db, Reader, Tx } from '../base/db/transact.ts'
import { CursorError } from '../base/lists/cursor.ts'
import { isKeyOf, type Keyset, otherOrder } from '../base/lists/keyset.ts'
import type { ListPage } from '../base/lists/list-page.ts'
import { onPage } from '../base/lists/on-page.ts'
import type { SearchColumns } from '../base/lists/where-search.ts'

const campaignColumns = {
  created_at: { column: 'live_query_campaigns.created_at', type: 'timestamptz' },
  name: { column: 'live_query_campaigns.name', type: 'text' },
  published: { column: 'live_query_campaigns.published', type: 'boolean' },
  tables_used: { column: 'live_query_campaigns.tables_used', type: 'text[]' },
} satisfies SearchColumns<typeof liveQueryCampaignSearch>

const resultColumns = {
  error_message: { column: 'live_query_results.error_message', type: 'text' },
  warning_message: { column: 'live_query_results.warning_message', type: 'text' },
} satisfies SearchColumns<typeof liveQueryResultSearch>

const campaignsById: Keyset = { id: { column: 'live_query_campaigns.id', type: 'bigint' }, direction: 'asc' }
const resultsById: Keyset = { id: { column: 'live_query_results.id', type: 'bigint' }, direction: 'asc' }

/** A sum over the shards of one campaign: 32 rows at most. */
const counted = (status: LiveQueryStatus) =>
  sql<number>`(
    select coalesce(sum(${sql.ref(`tally.${status}`)}), 0)::int from live_query_tallies as tally
    where tally.organization_id = live_query_campaigns.organization_id and tally.campaign_id = live_query_campaigns.id
  )`.as(status)

const fromCampaigns = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('live_query_campaigns')
    .select(['id', 'name', 'osquery_sql', 'created_at', 'published', 'revision', 'tables_used'])
    .select([counted('waiting'), counted('successful'), counted('errored')])
    .where(inOrganization('live_query_campaigns', organizationId))

export type CampaignRow = Awaited<ReturnType<typeof listCampaigns>>[number]

export const listCampaigns = (reader: Reader, page: ListPage) =>
  fromCampaigns(reader, page.organizationId)
    .$call(onPage(page, campaignsById, campaignColumns))
    .execute()

export const findCampaign = (reader: Reader, organizationId: string, id: string) =>
  fromCampaigns(reader, organizationId).where('id', '=', id).executeTakeFirst()

export async function campaignExists(reader: Reader, organizationId: string, id: string): Promise<boolean> {
  const found = await reader
    .selectFrom('live_query_campaigns')
    .select('id')
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

export type ResultRow = Awaited<ReturnType<typeof listResults>>[number]

/** In the order in which they came. */
export const listResults = (reader: Reader, page: ListPage<{ readonly liveQueryCampaignId: string }>) =>
  reader
    .selectFrom('live_query_results')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'live_query_results.organization_id')
        .onRef('devices.id', '=', 'live_query_results.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .select([
      'live_query_results.id',
      'live_query_results.campaign_id',
      'live_query_results.device_id',
      'devices.name as device_name',
      'live_query_results.revision',
      'live_query_results.row_count',
      'live_query_results.error_message',
      'live_query_results.warning_message',
      'live_query_results.rows',
      'live_query_results.rows_in_parts',
    ])
    .where(inOrganization('live_query_results', page.organizationId))
    .where('live_query_results.campaign_id', '=', page.params.liveQueryCampaignId)
    .$call(onPage(page, resultsById, resultColumns))
    .execute()

type OfResult = ListPage<{ readonly liveQueryCampaignId: string; readonly resultId: string }>

export type PartRow = { id: string; rows: Record<string, string>[] }

/**
 * The rows of a result in the parts in which they are stored, each by the number of its first row. CursorError after what is
 * no number.
 */
export async function listResultParts(
  reader: Db | Tx,
  { organizationId, params, after = '0', limit }: Pick<OfResult, 'organizationId' | 'params' | 'after' | 'limit'>,
): Promise<PartRow[]> {
  if (!isKeyOf({ type: 'bigint' }, after)) throw new CursorError(otherOrder)
  const { rows } = await sql<PartRow>`
    with result as (
      select id, rows from live_query_results
      where ${inOrganization('live_query_results', organizationId)}
        and campaign_id = ${params.liveQueryCampaignId}::bigint and id = ${params.resultId}::bigint
    )
    select first_row::text as id, rows from (
      select 1 as first_row, rows from result where rows <> '[]'
      union all
      select first_row, rows from live_query_result_parts
      where ${inOrganization('live_query_result_parts', organizationId)} and result_id = (select id from result)
        and first_row > ${after}::bigint
    ) as part
    where first_row > ${after}::bigint
    order by part.first_row limit ${limit}
  `.execute(reader)
  return rows
}

export async function resultExists(reader: Reader, organizationId: string, params: OfResult['params']) {
  const found = await reader
    .selectFrom('live_query_results')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'live_query_results.organization_id')
        .onRef('devices.id', '=', 'live_query_results.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .select('live_query_results.id')
    .where(inOrganization('live_query_results', organizationId))
    .where('live_query_results.campaign_id', '=', params.liveQueryCampaignId)
    .where('live_query_results.id', '=', params.resultId)
    .executeTakeFirst()
  return found !== undefined
}

/** The statement of a campaign at this revision; undefined when it is gone or has another by now. */
export async function findStatement(
  reader: Reader,
  organizationId: string,
  campaignId: string,
  revision: number,
): Promise<string | undefined> {
  const found = await reader
    .selectFrom('live_query_campaigns')
    .select('osquery_sql')
    .where(inOrganization('live_query_campaigns', organizationId))
    .where('id', '=', campaignId)
    .where('revision', '=', revision)
    .executeTakeFirst()
  return found?.osquery_sql
}
