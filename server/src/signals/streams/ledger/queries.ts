import type { SsfStreamEvent, ssfStreamEventSearch } from '@muster/contract/ssf-events.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Reader } from '../../../base/db/transact.ts'
import type { Keyset } from '../../../base/lists/keyset.ts'
import type { ListPage } from '../../../base/lists/list-page.ts'
import { onPage } from '../../../base/lists/on-page.ts'
import type { SearchColumns } from '../../../base/lists/where-search.ts'
import { findStream } from '../queries.ts'

const searchColumns = {
  id: { column: 'ssf_stream_events.id', type: 'bigint' },
  jti: { column: 'ssf_stream_events.jti', type: 'text' },
  state: { column: 'ssf_stream_events.state', type: 'text' },
  kind: { column: 'ssf_stream_events.kind', type: 'text' },
  device_id: { column: 'ssf_stream_events.device_id', type: 'bigint' },
  queued_at: { column: 'ssf_stream_events.queued_at', type: 'timestamptz' },
} satisfies SearchColumns<typeof ssfStreamEventSearch>

const newestFirst: Keyset = { id: { column: 'ssf_stream_events.id', type: 'bigint' }, direction: 'desc' }

/** By themselves rather than joined: looked up for the rows of the page only. */
const latestAttempts = (most: number) =>
  sql<SsfStreamEvent['attempts']>`coalesce((
    select jsonb_agg(jsonb_build_object(
      'attempted_at', to_char(attempt.attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'duration_ms', attempt.duration_ms, 'status', attempt.status, 'error', attempt.error) order by attempt.id desc)
    from (
      select * from ssf_attempts
      where ssf_attempts.organization_id = ssf_stream_events.organization_id
        and ssf_attempts.stream_id = ssf_stream_events.stream_id and ssf_attempts.event_id = ssf_stream_events.id
      order by ssf_attempts.id desc limit ${sql.lit(most)}
    ) as attempt
  ), '[]')`.as('latest_attempts')

const nextAttemptAt = sql<string | null>`case
  when ssf_stream_events.state = 'pending' and ssf_streams.delivery_type = 'push' and ssf_streams.status = 'enabled'
  then greatest(ssf_stream_events.held_until, head.held_until) end`.as('next_attempt_at')

const issuedAt = sql<string | null>`coalesce(ssf_stream_events.issued_at,
  case when settings.id is not null then ssf_stream_events.queued_at end)`.as('issued_at')

/** By itself as well. */
const isKeyGone = sql<boolean>`not exists (
  select from signing_keys as key
  where key.kid = ssf_stream_events.kid and key.withdrawn_at is null
    and key.organization_id = ssf_stream_events.organization_id
)`.as('is_key_gone')

export const fromLedger = (reader: Reader, organizationId: string, streamId: string, maxAttempts: number) =>
  reader
    .selectFrom('ssf_stream_events')
    .innerJoin('ssf_streams', (join) =>
      join
        .onRef('ssf_streams.organization_id', '=', 'ssf_stream_events.organization_id')
        .onRef('ssf_streams.id', '=', 'ssf_stream_events.stream_id'),
    )
    .innerJoin('ssf_stream_deliveries as head', (join) =>
      join
        .onRef('head.organization_id', '=', 'ssf_stream_events.organization_id')
        .onRef('head.stream_id', '=', 'ssf_stream_events.stream_id'),
    )
    .innerJoin('ssf_signals as signal', (join) =>
      join
        .onRef('signal.organization_id', '=', 'ssf_stream_events.organization_id')
        .onRef('signal.id', '=', 'ssf_stream_events.signal_id'),
    )
    .leftJoin('ssf_token_settings as settings', (join) =>
      join
        .onRef('settings.organization_id', '=', 'ssf_stream_events.organization_id')
        .onRef('settings.stream_id', '=', 'ssf_stream_events.stream_id')
        .onRef('settings.id', '=', 'ssf_stream_events.token_settings_id'),
    )
    .select([
      'ssf_stream_events.organization_id',
      'ssf_stream_events.kid',
      'ssf_streams.stream_id as stream_uuid',
      'settings.issuer as said_issuer',
      'settings.audience as said_audience',
      'settings.spec_version as said_spec_version',
      'settings.device_subject_format as said_device_subject_format',
      isKeyGone,
      'ssf_stream_events.id',
      'ssf_stream_events.sequence',
      'ssf_stream_events.jti',
      'ssf_stream_events.kind',
      'ssf_stream_events.device_id',
      'ssf_stream_events.state',
      'ssf_stream_events.token',
      issuedAt,
      'ssf_stream_events.attempts',
      'ssf_stream_events.settled_at',
      'ssf_stream_events.error_code',
      'ssf_stream_events.error_description',
      'ssf_stream_events.queued_at',
      'signal.user_email',
      'signal.event',
      'signal.txn',
      'signal.occurred_at',
      nextAttemptAt,
      latestAttempts(maxAttempts),
    ])
    .where(inOrganization('ssf_stream_events', organizationId))
    .where('ssf_stream_events.stream_id', '=', streamId)

export type LedgerRow = Awaited<ReturnType<typeof listLedger>>[number]

/** A row with what its token says, as far as that is fixed. */
export type SaidRow = LedgerRow & { claims: Record<string, unknown> | null }

/** A page of the ledger of a stream, which `params` names by its `id` or its `stream_id`. */
export async function listLedger(reader: Reader, page: ListPage<{ readonly streamId: string }>) {
  const { organizationId, params } = page
  const stream = await findStream(reader, organizationId, params.streamId)
  if (!stream) return []
  return fromLedger(reader, organizationId, stream.id, 10)
    .$call(onPage(page, newestFirst, searchColumns))
    .execute()
}

export async function findLedgerRow(
  reader: Reader,
  organizationId: string,
  { streamId, eventId }: { readonly streamId: string; readonly eventId: string },
): Promise<LedgerRow | undefined> {
  const stream = await findStream(reader, organizationId, streamId)
  if (!stream) return undefined
  return fromLedger(reader, organizationId, stream.id, 100)
    .where('ssf_stream_events.id', '=', eventId)
    .executeTakeFirst()
}

/** Entries of a stream behind another, oldest first. */
export const listLedgerAfter = (
  reader: Reader,
  {
    organizationId,
    streamId,
    afterId,
    limit,
  }: { organizationId: string; streamId: string; afterId: string; limit: number },
): Promise<LedgerRow[]> =>
  fromLedger(reader, organizationId, streamId, 1)
    .where('ssf_stream_events.id', '>', afterId)
    .orderBy('ssf_stream_events.id')
    .limit(sql.lit(limit))
    .execute()

/** The identifier of the last entry but so many; of the first, where there are fewer. */
export async function idBeforeLatest(reader: Reader, organizationId: string, streamId: string, count: number) {
  const row = await reader
    .selectFrom('ssf_stream_events')
    .select('id')
    .where(inOrganization('ssf_stream_events', organizationId))
    .where('stream_id', '=', streamId)
    .orderBy('id', 'desc')
    .offset(sql.lit(count))
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? '0'
}
