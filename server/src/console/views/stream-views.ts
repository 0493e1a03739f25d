import type { StreamEventFilter, StreamView } from '@muster/contract/console-developers.ts'
import { maxCounted } from '@muster/contract/max-counted.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { parseDateTime } from '../../base/lists/parse-date-time.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { addClaims } from '../../signals/streams/ledger/add-tokens.ts'
import type { ReplayChoice } from '../../signals/streams/ledger/choose-replay.ts'
import { fromLedger } from '../../signals/streams/ledger/queries.ts'
import { isChosen } from '../../signals/streams/ledger/replay-events.ts'
import { findStream, type Stream } from '../../signals/streams/queries.ts'
import { foundDevices } from './found-devices.ts'

const causeMs = 10 * 60_000

/** What a stream's page shows beside its record; counts end at `maxCounted`. */
export async function readStreamView(db: Db, stream: Stream, now: string): Promise<StreamView> {
  const { organization_id: organizationId, id: streamId } = stream
  const own = sql`organization_id = ${organizationId}::bigint and stream_id = ${streamId}::bigint`
  const { rows } = await sql<Omit<StreamView, 'status' | 'reason' | 'needs_no_poll_token'>>`
    with today as (
      select state from ssf_stream_events
      where ${own} and queued_at >= ${plusMs(now, -dayMs)}::timestamptz limit ${sql.lit(maxCounted)}
    ), pending as (
      select attempts from ssf_stream_events where ${own} and state = 'pending' limit ${sql.lit(maxCounted)}
    ), latest as (
      select id from ssf_stream_events where ${own} order by id desc limit 500
    ), took as (
      select duration_ms from ssf_attempts
      where ${own} and event_id in (select id from latest) and status is not null
      order by event_id desc, id desc limit 500
    ), tokens as (
      select created_at, valid_until from ssf_poll_tokens
      where ${own} and (valid_until is null or valid_until > ${now}::timestamptz)
      order by ssf_poll_tokens.created_at desc limit 20
    )
    select
      (select count(*)::int from today where state in ('delivered', 'acknowledged')) as accepted_today,
      (select count(*)::int from today where state in ('rejected', 'expired')) as rejected_today,
      (select count(*)::int from pending where attempts = 0) as waiting,
      (select count(*)::int from pending where attempts > 0) as retrying,
      (select count(*) >= ${sql.lit(maxCounted)} from pending) as is_more_pending,
      (select round(percentile_cont(0.5) within group (order by duration_ms))::int from took) as median_ms,
      (select round(percentile_cont(0.99) within group (order by duration_ms))::int from took) as p99_ms,
      (select coalesce(jsonb_agg(jsonb_build_object(
        'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'valid_until', to_char(valid_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) order by created_at desc, valid_until desc nulls first), '[]') from tokens) as poll_tokens
  `.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('A statement without a from clause has one row')
  const { status, status_reason: reason, needs_no_poll_token } = stream
  return { status, reason, needs_no_poll_token, ...counts }
}

const newestFirst: Keyset = { id: { column: 'ssf_stream_events.id', type: 'bigint' }, direction: 'desc' }

/** A page of the ledger of a stream, with the names of devices. */
export async function listStreamEventViews(
  reader: Reader,
  page: ListPage<{ readonly streamId: string }>,
  { state, kind, search, txn, around }: StreamEventFilter,
) {
  const { organizationId, params, after, limit } = page
  const stream = await findStream(reader, organizationId, params.streamId)
  if (!stream) return []
  const text = search?.trim() ?? ''
  const cause = around === undefined ? undefined : parseDateTime(around)
  const rows = await fromLedger(reader, organizationId, stream.id, 10)
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'ssf_stream_events.organization_id')
        .onRef('devices.id', '=', 'ssf_stream_events.device_id'),
    )
    .select('devices.name as device_name')
    .$if(state !== undefined, (query) => query.where('ssf_stream_events.state', '=', state ?? 'pending'))
    .$if(kind !== undefined, (query) => query.where('ssf_stream_events.kind', '=', kind ?? 'test'))
    .$if(text !== '', (query) =>
      query.where(
        sql<boolean>`(ssf_stream_events.jti = ${text} or ssf_stream_events.device_id = any(${foundDevices(organizationId, text)}))`,
      ),
    )
    .$if(txn !== undefined && cause !== undefined, (query) =>
      query
        .where('signal.txn', '=', txn ?? '')
        .where('ssf_stream_events.queued_at', '>=', plusMs(cause ?? '', -causeMs))
        .where('ssf_stream_events.queued_at', '<=', plusMs(cause ?? '', causeMs)),
    )
    .$call(nextRows(newestFirst, after, limit))
    .execute()
  return addClaims(rows)
}

/** How many events a replay of the range lets wait again. */
export async function countReplay(db: Db, stream: Stream, choice: ReplayChoice): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from ssf_stream_events
      where ${inOrganization('ssf_stream_events', stream.organization_id)}
        and ssf_stream_events.stream_id = ${stream.id}::bigint and ${isChosen(choice)}
      limit ${sql.lit(maxCounted)}
    ) as chosen`.execute(db)
  return rows[0]?.count ?? 0
}
