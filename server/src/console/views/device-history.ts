import type { DeletedDevice, DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { causingEntries } from '../../signals/events/trace-states.ts'

type OfDevice = ListPage<{ readonly deviceId: string }>

const newestFirst: Keyset = { id: { column: 'events.id', type: 'bigint' }, direction: 'desc' }
const kinds: Readonly<Record<string, DeviceHistoryEntry['kind']>> = {
  'device_trust.status_changed': 'state',
  'devices.registered': 'registered',
  'devices.created': 'enrolled',
  'devices.updated': 'updated',
}

/** Issues of the device that changed in what the event is part of; their identifiers lie close to the event's. */
const reasons = sql<DeviceHistoryEntry['reasons']>`coalesce((
  select jsonb_agg(jsonb_build_object('what', what, 'issue_id', issue_id, 'title', title)) from (
    select substr(other.type, 8) as what, other.data ->> 'issueId' as issue_id, other.data ->> 'title' as title
    from events as other
    where other.organization_id = events.organization_id and other.device_id = events.device_id
      and other.cause = events.cause and other.type in ('issues.new', 'issues.resolved')
    order by other.id limit 5
  ) as found
), '[]')`.as('reasons')

const isState = sql<boolean>`events.type = 'device_trust.status_changed'`
const decidedFor = sql<string | null>`(events.data #>> '{decidedFor,checkId}')`

/**
 * As it was found before causes were kept: what was done to the check whose change had the device decided again, or to the device
 * itself, in the moment of which the change of state is.
 */
const sameMoment = sql<DeviceHistoryEntry['entries']>`(
  select jsonb_build_array(jsonb_build_object('id', done.id::text, 'actor_name', done.actor_name,
    'description', done.description, 'strategy', null))
  from audit_logs as done
  where done.organization_id = events.organization_id and done.cause is null
    and done.timestamp = coalesce((events.data #>> '{decidedFor,requestedAt}')::timestamptz, events.occurred_at)
    and done.about @> array[coalesce('check:' || ${decidedFor}, 'device:' || events.device_id)]
  order by done.id desc limit 1
)`

const entries = sql<DeviceHistoryEntry['entries']>`case when ${isState}
  then coalesce(nullif(${causingEntries}, '[]'), ${sameMoment}, '[]') else '[]' end`.as('entries')

const check = sql<DeviceHistoryEntry['check']>`case when ${isState} then (
  select jsonb_build_object('id', checks.id::text, 'name', checks.name)
  from checks where checks.organization_id = events.organization_id and checks.id = ${decidedFor}::bigint
) end`.as('check')

type HistoryEntryRow = Awaited<ReturnType<typeof listHistoryEntries>>[number]

export const listHistoryEntries = (reader: Reader, { organizationId, params, after, limit }: OfDevice) =>
  reader
    .selectFrom('events')
    .select(['events.id', 'events.type', 'events.data', 'events.occurred_at', reasons, entries, check])
    .where(inOrganization('events', organizationId))
    .where('events.device_id', '=', params.deviceId)
    .where('events.type', 'in', Object.keys(kinds))
    .$call(nextRows(newestFirst, after, limit))
    .execute()

export function presentHistoryEntry({
  id,
  type,
  data,
  occurred_at,
  reasons: found,
  entries: done,
  check: named,
}: HistoryEntryRow): DeviceHistoryEntry {
  const kind = kinds[type] ?? 'enrolled'
  if (kind !== 'state') {
    const { changes = [] } = data as Partial<Pick<DeviceHistoryEntry, 'changes'>>
    return {
      id,
      occurred_at,
      kind,
      from: null,
      to: null,
      initiator: null,
      reasons: [],
      entries: [],
      check: null,
      changes,
    }
  }
  const { from, to, initiator } = data as Pick<DeviceHistoryEntry, 'from' | 'to' | 'initiator'>
  return {
    id,
    occurred_at,
    kind,
    from,
    to,
    initiator,
    reasons: found,
    entries: done.map(presentEntry),
    check: named,
    changes: [],
  }
}

const presentEntry = ({ id, description, actor_name, strategy }: DeviceHistoryEntry['entries'][number]) => ({
  ...{ id, description, actor_name, strategy },
})

const byCampaign: Keyset = { id: { column: 'live_query_targets.campaign_id', type: 'bigint' }, direction: 'desc' }

/** The latest first; what the device has answered of the present revision of each. */
export const listLiveQueriesOfDevice = (reader: Reader, { organizationId, params, after, limit }: OfDevice) =>
  reader
    .selectFrom('live_query_targets')
    .innerJoin('live_query_campaigns as campaign', (join) =>
      join
        .onRef('campaign.organization_id', '=', 'live_query_targets.organization_id')
        .onRef('campaign.id', '=', 'live_query_targets.campaign_id'),
    )
    .leftJoin('live_query_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'live_query_targets.organization_id')
        .onRef('result.campaign_id', '=', 'live_query_targets.campaign_id')
        .onRef('result.device_id', '=', 'live_query_targets.device_id'),
    )
    .select([
      'live_query_targets.campaign_id as id',
      'campaign.name',
      'campaign.started_at',
      'live_query_targets.status',
    ])
    .select([
      sql<number | null>`case live_query_targets.status when 'successful' then result.row_count end`.as('row_count'),
      sql<string | null>`case live_query_targets.status when 'errored' then result.error_message end`.as(
        'error_message',
      ),
    ])
    .where(inOrganization('live_query_targets', organizationId))
    .where('live_query_targets.device_id', '=', params.deviceId)
    .$call(nextRows(byCampaign, after, limit))
    .execute()

/** Undefined unless it was deleted and can still be restored. */
export async function findDeletedDevice(
  reader: Reader,
  organizationId: string,
  id: string,
  delaySeconds: number,
): Promise<DeletedDevice | undefined> {
  const found = await reader
    .selectFrom('devices')
    .select(['id', 'name', 'deleted_at'])
    .where(inOrganization('devices', organizationId))
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (found === undefined || found.deleted_at === null) return undefined
  const restorableUntil = new Date(Date.parse(found.deleted_at) + delaySeconds * 1_000).toISOString()
  return { id: found.id, name: found.name, deleted_at: found.deleted_at, restorable_until: restorableUntil }
}
